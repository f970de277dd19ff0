import type { Database } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { type Count, type Counted, type Counts, countNames, noCounts } from './model.ts'
import { addCounts, ensureCountPartitions } from './store.ts'

/** How long counts wait in memory. A process that dies loses at most these. */
const flushEveryMs = 5_000
/** Objects of installations with waiting counts. At the first limit they are stored, at the second dropped. */
const waitingMax = 10_000
const keptMax = 100_000
/** Each object of an installation is two rows of the statement. */
const rowsPerTransaction = 1_000

const hourMs = 3_600_000

/**
 * Counts what this process does, in memory, and adds the sums to the tables every few seconds. So counting takes no
 * statement of the work that is counted.
 */
export interface CountBuffer {
  /** Adds to the counts of an object of an installation. Waits for nothing. */
  add(of: Counted, counts: Partial<Counts>): void
  /** Stores what waits. */
  flush(): Promise<void>
  /** Stores what waits, and stops the timer. */
  stop(): Promise<void>
}

export function createCountBuffer(services: {
  database: Database
  log: Logger
  now: () => Date
  /** Called with everything that is counted. */
  counted?: (of: Counted, counts: Partial<Counts>) => void
  /** With 0 days, nothing is stored. */
  config: { countsRetentionDays: number }
}): CountBuffer {
  const { database, log, now, counted } = services
  const keepsCounts = services.config.countsRetentionDays > 0
  let waiting = new Map<string, Count>()
  let lost = 0
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined
  let isStopped = false
  /** Months that have partitions, as `YYYY-MM`. */
  const months = new Set<string>()

  async function ensurePartitions(counts: readonly Count[]): Promise<void> {
    const wanted = new Set(counts.map(({ hour }) => new Date(hour).toISOString().slice(0, 7)))
    for (const month of wanted) {
      if (months.has(month)) continue
      await ensureCountPartitions(database.system, `${month}-01`)
      months.add(month)
    }
  }

  function keep(of: Counted, hour: number, counts: Partial<Counts>): void {
    const key = `${of.projectId} ${of.installationId} ${hour} ${of.objectName}`
    let count = waiting.get(key)
    if (!count) {
      if (waiting.size >= keptMax) {
        lost++
        return
      }
      count = { ...of, hour, counts: noCounts() }
      waiting.set(key, count)
    }
    for (const name of countNames) count.counts[name] += counts[name] ?? 0
  }

  async function store(): Promise<void> {
    const counts = [...waiting.values()]
    waiting = new Map()
    for (let from = 0; from < counts.length; from += rowsPerTransaction) {
      const some = counts.slice(from, from + rowsPerTransaction)
      try {
        await ensurePartitions(some)
        await addCounts(database.system, some)
      } catch (error) {
        log.warn({ err: error, counts: some.length }, 'failed to store counts; retrying')
        for (const { hour, counts, ...of } of some) keep(of, hour, counts)
      }
    }
    if (lost > 0) log.warn({ counts: lost }, 'dropped counts: the database does not accept them fast enough')
    lost = 0
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    flushing = (flushing ?? Promise.resolve()).then(store).finally(() => {
      if (waiting.size > 0) schedule()
    })
    return flushing
  }

  function schedule(): void {
    if (!isStopped) timer ??= setTimeout(() => void flush(), flushEveryMs)
  }

  return {
    add(of, counts) {
      counted?.(of, counts)
      if (!keepsCounts) return
      keep(of, Math.floor(now().getTime() / hourMs) * hourMs, counts)
      if (waiting.size === waitingMax) void flush()
      else schedule()
    },
    flush,
    async stop() {
      isStopped = true
      await flush()
    },
  }
}
