import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../kernel/db/index.ts'
import { publishWatched } from '../../../kernel/pubsub/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import type { Change } from './model.ts'
import { PendingChanges } from './pending-changes.ts'
import { changesTopic } from './topic.ts'

/** How long changes are collected: longer than a usual transaction, so that they are committed by then. */
const publishEveryMs = 1_000
/** Projects with waiting changes. Beyond that, streams of further projects miss some. */
const projectsMax = 10_000

/**
 * Publishes changes of what changes often, such as operations: one statement a second and process, whatever happens.
 * Their transactions must not notify, because transactions that notify commit one after the other.
 */
export interface ChangePublisher {
  /** Adds a change. Waits for nothing. */
  add(projectId: string, change: Change): void
  /** Publishes what waits, and stops the timer. */
  stop(): Promise<void>
}

export function createChangePublisher({
  database,
  log,
}: {
  database: { system: Kysely<Tables> }
  log: Pick<Logger, 'warn'>
}): ChangePublisher {
  let waiting = new Map<string, PendingChanges>()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let publishing = Promise.resolve()

  async function publish(): Promise<void> {
    const taken = waiting
    waiting = new Map()
    timer = undefined
    if (taken.size === 0) return
    const notifications = [...taken].flatMap(([projectId, pending]) =>
      pending.take().map((payload) => ({ topic: changesTopic(projectId), payload })),
    )
    try {
      await sql`${publishWatched(notifications)}`.execute(database.system)
    } catch (error) {
      // Streams notice later changes, and clients load again when they reconnect.
      log.warn({ err: error, changes: notifications.length }, 'failed to publish changes')
    }
  }

  return {
    add(projectId, change) {
      if (isStopped) return
      let pending = waiting.get(projectId)
      if (!pending) {
        if (waiting.size >= projectsMax) return
        pending = new PendingChanges()
        waiting.set(projectId, pending)
      }
      pending.add(change)
      timer ??= setTimeout(() => {
        publishing = publish()
      }, publishEveryMs).unref()
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await publishing
      await publish()
    },
  }
}
