import type { Database, NewId } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { type EndedOperation, recordOperations } from '../../platform/operations/index.ts'

const flushEveryMs = 1_000
/** What waits at most; more is counted and let go. */
const waitingMax = 10_000

/** One call that its caller wants to see among the operations. */
export type LoggedCall = EndedOperation & { projectId: string }

/**
 * Writes calls down once a second, all of a project in one statement: no call waits for it, and none costs a statement.
 */
export interface CallLog {
  add(call: LoggedCall): void
  /** Writes down what waits. */
  stop(): Promise<void>
}

export function createCallLog(services: { database: Database; newId: NewId; log: Logger }): CallLog {
  let waiting: LoggedCall[] = []
  let lost = 0
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> | undefined

  async function flush(): Promise<void> {
    const byProject = Map.groupBy(waiting, ({ projectId }) => projectId)
    waiting = []
    if (lost > 0) services.log.warn({ calls: lost }, 'dropped log records of proxied calls: too many')
    lost = 0
    for (const [projectId, calls] of byProject) {
      const db = services.database.forProject(projectId)
      await recordOperations(db, services, calls).catch((error: unknown) =>
        services.log.warn({ err: error, calls: calls.length }, 'failed to store log records of proxied calls'),
      )
    }
  }
  function flushSoon(): void {
    timer ??= setTimeout(async () => {
      flushing = flush()
      await flushing
      timer = undefined
      if (waiting.length > 0) flushSoon()
    }, flushEveryMs)
  }
  return {
    add(call) {
      if (waiting.length >= waitingMax) lost++
      else waiting.push(call)
      flushSoon()
    },
    async stop() {
      clearTimeout(timer)
      await flushing
      await flush()
    },
  }
}
