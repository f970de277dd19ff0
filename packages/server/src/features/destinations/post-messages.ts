import type { ProjectDb } from '../../kernel/db/index.ts'
import type { Services } from '../../services.ts'
import type { NewMessage } from './data-message.ts'
import { drainDestination } from './jobs/drain-destination.ts'
import { insertMessageResults, insertMessages } from './message-store.ts'

/** PostgreSQL takes 65,535 parameters in one statement, and a message has eight. */
const messagesPerStatement = 5_000

/**
 * Posts messages in the caller's transaction: they exist when it commits, and are then delivered at least once. Call it last:
 * of two transactions that post to one destination at the same time, the second waits here for the first to commit.
 */
export async function postMessages(
  tx: ProjectDb,
  { queue, newId }: Pick<Services, 'queue' | 'newId'>,
  messages: NewMessage[],
): Promise<void> {
  const open = new Set<string>()
  for (let from = 0; from < messages.length; from += messagesPerStatement) {
    const rows = messages.slice(from, from + messagesPerStatement).map((message) => ({ id: newId(), ...message }))
    for (const id of await insertMessages(tx, rows)) open.add(id)
    const results = rows.flatMap(({ id, result }) => (result === undefined ? [] : [{ id, body: result }]))
    if (results.length > 0) await insertMessageResults(tx, results)
  }
  // Always in the same order, so that two transactions never wait for each other.
  const drains = [...open].sort().map((destinationId) => ({
    data: { projectId: tx.projectId, destinationId },
    key: destinationId,
  }))
  await queue.enqueueAll(tx, drainDestination, drains)
}
