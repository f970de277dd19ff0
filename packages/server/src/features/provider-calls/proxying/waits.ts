import { LRUCache } from 'lru-cache'
import type { Database } from '../../../kernel/db/index.ts'
import { entriesAtMost } from '../../../kernel/entries-max.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { rememberWait } from './target-store.ts'

/** If the provider does not say how long. */
const defaultWaitMs = 5_000

/** Until when providers want no requests of a connection. */
export interface Waits {
  until(connectionId: string): Date | undefined
  /**
   * Records a 429 response and returns when the wait ends. Stores it at most once a second per connection.
   *
   * @param waitMs that the provider requested; undefined if it named no time
   */
  asked(projectId: string, connectionId: string, waitMs: number | undefined): Date
  /** Records a wait that another node published. */
  received(connectionId: string, until: Date): void
}

export function createWaits({ database, now, log }: { database: Database; now: () => Date; log: Logger }): Waits {
  const known = new LRUCache<string, { until: Date; written: number }>(entriesAtMost(20_000))
  const received = (connectionId: string, until: Date) => {
    const before = known.get(connectionId)
    if (!before || before.until < until) known.set(connectionId, { until, written: before?.written ?? 0 })
  }
  return {
    until: (connectionId) => known.get(connectionId)?.until,
    received,
    asked(projectId, connectionId, waitMs = defaultWaitMs) {
      const at = now().getTime()
      const until = new Date(at + waitMs)
      received(connectionId, until)
      const wait = known.get(connectionId)
      if (wait && at - wait.written >= 1_000) {
        wait.written = at
        rememberWait(database.forProject(projectId), connectionId, until).catch((error: unknown) =>
          log.warn({ err: error }, 'failed to store Retry-After'),
        )
      }
      return until
    },
  }
}
