import { UsageError } from './usage-error.ts'

const unitsMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * A moment as options take it: RFC 3339 (a date alone is its midnight, UTC), or how long ago, such as `90s`, `30m`,
 * `2h`, `7d`.
 *
 * @returns RFC 3339 in UTC
 * @throws UsageError
 */
export function parseTime(text: string, now = Date.now()): string {
  const [, count, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  const unitMs = unit === undefined ? undefined : unitsMs[unit]
  const time = unitMs ? now - Number(count) * unitMs : /^\d{4}-\d\d-\d\d(T.+)?$/.test(text) ? Date.parse(text) : NaN
  const date = new Date(time)
  if (Number.isNaN(date.getTime()))
    throw new UsageError(`“${text}” is not a time. Write 2026-01-31T12:00:00Z, 2026-01-31, or 2h for two hours ago.`)
  return date.toISOString()
}
