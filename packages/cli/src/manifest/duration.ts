import { InvalidArgumentError } from 'commander'

const units = { s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of `30s`, `10m` or `1h`, as settings of the service are written. Reads a value of the command line. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? []
  if (count === undefined) throw new InvalidArgumentError('Write 30s, 10m or 1h.')
  return Number(count) * units[unit as keyof typeof units]
}
