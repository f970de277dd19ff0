import pg from 'pg'
import { createBatches, type Database, type NewId } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { type EndedOperation, recordOperations } from '../../platform/operations/index.ts'

const batchMax = 500
/** Calls that only read wait for this long, so that many share a statement. A call after a pause does not wait. */
const gatherMs = 50
const retryMs = 1_000
/** Calls that are only in memory at most: more are stored before their response. */
const waitingMax = 5_000

/** Stores calls of tools as operations. */
export interface ToolCallLog {
  /** Stores a call. Concurrent calls share a statement and a commit. */
  store(projectId: string, call: EndedOperation): Promise<void>
  /**
   * Stores a call within a moment, and returns immediately. While the database fails or too many calls wait, returns a
   * promise that the call is stored: at no time are many calls only in memory.
   */
  storeSoon(projectId: string, call: EndedOperation): void | Promise<void>
  /** Stores what waits. */
  stop(): Promise<void>
}

interface Waiting {
  projectId: string
  call: EndedOperation
}

export function createToolCallLog(services: { database: Database; newId: NewId; log: Logger }): ToolCallLog {
  let waiting: Waiting[] = []
  /** Calls of the running statements. */
  let storing = 0
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let lastBegin = 0
  let flushing: Promise<void> | undefined

  const store = createBatches<EndedOperation, void>({
    itemsMax: batchMax,
    async run(projectId, calls) {
      await recordOperations(services.database.forProject(projectId), services, calls)
      return calls.map(() => undefined)
    },
  })

  async function storeWaiting(): Promise<void> {
    const taken = waiting
    waiting = []
    storing = taken.length
    lastBegin = performance.now()
    const outcomes = await Promise.allSettled(taken.map(({ projectId, call }) => store(projectId, call)))
    const failed = taken.filter((_, index) => outcomes[index]?.status === 'rejected')
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    // The database may have stored them before the connection broke: storing them again changes nothing then.
    const again = failed.filter((_, index) => !isRejected(errors[index]))
    isFailing = again.length > 0
    storing = 0
    waiting.unshift(...again)
    if (failed.length > 0)
      services.log.warn({ err: errors[0], calls: failed.length, again: again.length }, 'failed to store calls of tools')
  }
  function schedule(): void {
    if (timer || flushing) return
    const pauseMs = isFailing ? retryMs : Math.max(0, lastBegin + gatherMs - performance.now())
    timer = setTimeout(() => {
      timer = undefined
      flushing = storeWaiting().finally(() => {
        flushing = undefined
        if (waiting.length > 0) schedule()
      })
    }, pauseMs)
  }
  return {
    store,
    storeSoon(projectId, call) {
      if (isFailing || waiting.length + storing >= waitingMax) return store(projectId, call)
      waiting.push({ projectId, call })
      schedule()
      return undefined
    },
    async stop() {
      clearTimeout(timer)
      timer = undefined
      await flushing
      clearTimeout(timer)
      await storeWaiting()
    },
  }
}

/**
 * Whether PostgreSQL refused the row itself, and would refuse it again (classes 22 and 23). Other errors pass: a server
 * that stops, a full disk, a table that is locked.
 */
function isRejected(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[23]/.test(error.code ?? '')
}
