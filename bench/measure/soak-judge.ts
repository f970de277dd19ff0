import { median, quantile, rounded, slope } from './statistics.ts'

/** What a soak measures every few seconds. */
export interface SoakSample {
  /** Seconds since the load began. */
  at: number
  deliveries: number
  /** Resident memory and the heap after a forced collection, in bytes. */
  resident: number
  heap: number
  /** Open file handles of the service. */
  handles: number
  /** Connections to the database. */
  connections: number
  /** 99 of 100 events of the window arrived within these milliseconds. */
  p99: number
  /** Events that never arrived in the time limit. */
  missing: number
  tables: Record<string, { live: number; dead: number; bytes: number }>
}

export interface SoakLimits {
  /** Growth of memory in the second half. */
  residentMbPerHour: number
  heapMbPerHour: number
  /** p99 of the last half ÷ that of the first. */
  p99Ratio: number
  /** A p99 below this is good whatever its ratio. */
  p99Ms: number
  /** File handles that the second half may have more than the first one: a slower machine has more requests open. */
  handles: number
  /** Most dead rows of a table: this many, or as many as it has live ones. */
  dead: number
  /** Growth that tables without retention may have in the second half. */
  tableMb: number
}

export interface Finding {
  check: string
  value: number
  limit: number
  holds: boolean
}

const megabyte = 2 ** 20

/** Tables that keep their rows for days: they grow with the load, but their bytes for each row do not. */
export const kept =
  /^(messages|message_results|attempts|operations|operation_logs|inbound_\w+|job\w*|j[0-9a-f]{40,})(_\d{8}|_rest)?$/

/**
 * Judges what a service does over time. Only the second half counts: in the first one, caches and pools fill. Each
 * value is a robust one, because the machine may have other work to do: the lower envelope of memory, the middle of
 * others.
 */
export function judgeSoak(samples: readonly SoakSample[], limits: SoakLimits): Finding[] {
  const first = samples.slice(Math.floor(samples.length / 8), Math.floor(samples.length / 2))
  const second = samples.slice(Math.floor(samples.length / 2))
  const below = (check: string, value: number, limit: number): Finding => ({
    check,
    value: rounded(value),
    limit: rounded(limit),
    holds: value <= limit,
  })
  const middle = (of: readonly SoakSample[], pick: (sample: SoakSample) => number) => median(of.map(pick))
  const handles = middle(first, (sample) => sample.handles)
  const connections = middle(first, (sample) => sample.connections)
  // Of the windows that the machine disturbed least: a lag that grows grows there too.
  const lag = (of: readonly SoakSample[]) =>
    quantile(
      of.map(({ p99 }) => p99).sort((a, b) => a - b),
      0.25,
    )
  const findings = [
    below('resident memory, MB an hour', growthPerHour(first, second), limits.residentMbPerHour),
    below('heap, MB an hour', perHour(second, 'heap'), limits.heapMbPerHour),
    below(
      'file handles',
      middle(second, (sample) => sample.handles),
      handles * 1.1 + limits.handles,
    ),
    below(
      'database connections',
      middle(second, (sample) => sample.connections),
      connections * 1.1 + 4,
    ),
    below('p99 of the delivery lag, ms', lag(second), Math.max(limits.p99Ms, lag(first) * limits.p99Ratio)),
    below(
      'events that did not arrive',
      second.reduce((sum, { missing }) => sum + missing, 0),
      0,
    ),
  ]
  const names = new Set(second.flatMap(({ tables }) => Object.keys(tables)))
  for (const name of [...names].sort()) {
    const rows = second.flatMap(({ tables }) => tables[name] ?? [])
    const dead = Math.min(...lastOf(rows).map((row) => row.dead))
    findings.push(below(`dead rows of ${name}`, dead, Math.max(limits.dead, ...rows.map(({ live }) => live))))
    const [before, after] = [rows[0], rows.at(-1)]
    if (!before || !after) continue
    const grown = (after.bytes - before.bytes) / megabyte
    const expected = kept.test(name)
      ? (before.bytes / megabyte) * Math.max(0, growth(before.live, after.live)) * 1.2
      : 0
    findings.push(below(`growth of ${name}, MB`, grown, limits.tableMb + expected))
  }
  return findings
}

/** Growth of a table with some more live rows, as a share of what it had. */
function growth(before: number, after: number): number {
  return before === 0 ? after : after / before - 1
}

/** The last quarter: vacuum comes and goes, so one low value in it is enough. */
function lastOf<T>(rows: readonly T[]): T[] {
  return rows.slice(Math.floor(rows.length / 2))
}

/**
 * Growth of resident memory in the second half. A machine under pressure takes pages back, and what returns later is no
 * growth: the growth since the first half is the most that counts.
 */
function growthPerHour(first: readonly SoakSample[], second: readonly SoakSample[]): number {
  const end = second.slice(Math.floor(second.length / 2))
  const middle = (samples: readonly SoakSample[], pick: (sample: SoakSample) => number) => median(samples.map(pick))
  const hours = (middle(end, ({ at }) => at) - middle(first, ({ at }) => at)) / 3_600
  const grown = (middle(end, ({ resident }) => resident) - middle(first, ({ resident }) => resident)) / megabyte
  return Math.min(perHour(second, 'resident'), grown / hours)
}

/** Slope of the lower envelope: the least of each three neighbors, so that work in progress does not count. */
function perHour(samples: readonly SoakSample[], of: 'resident' | 'heap'): number {
  const points = samples.map(({ at }, index) => ({
    x: at / 3_600,
    y: Math.min(...samples.slice(Math.max(0, index - 1), index + 2).map((sample) => sample[of])) / megabyte,
  }))
  return slope(points)
}
