import type { Database, ProjectDb } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import { deliveryJob } from '../destinations/index.ts'
import type { Selection } from './replay-model.ts'
import { findMessageIds, findMessagesInRange, lockOpenReplay, requeueMessages, updateReplay } from './replay-store.ts'

/** Number of messages in one step. */
const stepMax = 500

/**
 * Processes a replay step by step. Each step is one transaction that restarts the retry schedule of messages and moves
 * the cursor past them. If the process dies, no message is replayed twice or skipped: the next process continues after
 * the last step.
 *
 * @param onStep called after each committed step
 */
export async function replay(
  services: { database: Database; queue: JobQueue },
  { projectId, replayId, signal }: { projectId: string; replayId: string; signal: AbortSignal },
  onStep: () => void = () => undefined,
): Promise<void> {
  const db = services.database.forProject(projectId)
  let more = true
  while (more && !signal.aborted) {
    more = await db.transaction((tx) => step(tx, services, replayId))
    onStep()
  }
}

/** Runs one step. Returns whether there is more. */
async function step(tx: ProjectDb, { queue }: { queue: JobQueue }, replayId: string): Promise<boolean> {
  const open = await lockOpenReplay(tx, replayId)
  if (!open) return false
  const { found, missing, cursor, done } = await next(tx, open.selection, open.cursor)
  const requeued = found.length === 0 ? [] : await requeueMessages(tx, found)
  await updateReplay(tx, replayId, { cursor, matched: found.length, requeued: requeued.length, missing, done })
  const destinations = new Set(requeued.flatMap(({ destinationId }) => (destinationId === null ? [] : [destinationId])))
  // Always in the same order, so that two transactions never deadlock.
  const deliveries = [...destinations]
    .sort()
    .map((destinationId) => ({ data: { projectId: tx.projectId, destinationId }, key: destinationId }))
  await queue.enqueueAll(tx, deliveryJob, deliveries)
  return !done
}

async function next(tx: ProjectDb, selection: Selection, cursor: string | null) {
  if ('ids' in selection) {
    const ids = selection.ids.filter((id) => cursor === null || id > cursor).slice(0, stepMax)
    const found = ids.length === 0 ? [] : await findMessageIds(tx, ids, selection.states)
    const last = ids.at(-1) ?? cursor
    return { found, missing: ids.length - found.length, cursor: last, done: last === (selection.ids.at(-1) ?? null) }
  }
  const found = await findMessagesInRange(tx, selection, cursor, stepMax)
  return { found, missing: 0, cursor: found.at(-1) ?? cursor, done: found.length < stepMax }
}
