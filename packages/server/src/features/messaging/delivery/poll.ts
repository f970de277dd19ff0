import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue, Tick } from '../../../kernel/jobs/index.ts'
import { findDueDestinations, findReattachable, orphanMessages, reattachOrphans } from '../messages/index.ts'
import { deliverMessages } from './jobs/deliver-messages.ts'

/** Limits of one poll for messages that get or lose their destination: messages per statement, and destinations. */
const messagesMax = 5_000
const destinationsMax = 20

/**
 * Enqueues due deliveries. Delivery depends on this poll: posting messages enqueues a delivery only to save time, and
 * nothing else finds a retry or a probe that becomes due. Also reattaches orphan messages to a new destination of their
 * name, and orphans the messages of a deleted one.
 *
 * @returns whether there may be more to reattach or orphan
 */
export async function poll({ database, queue }: { database: Database; queue: JobQueue }): Promise<boolean> {
  let most = 0
  for (const found of (await findReattachable(database.system)).slice(0, destinationsMax))
    most = Math.max(most, await reattachOrphans(database.system, found, messagesMax))
  const due = await findDueDestinations(database.system)
  for (const deleted of due.filter(({ missing }) => missing).slice(0, destinationsMax))
    most = Math.max(most, await orphanMessages(database.system, deleted, messagesMax))
  const deliveries = due
    .filter(({ missing }) => !missing)
    .map(({ projectId, destinationId }) => ({ data: { projectId, destinationId }, key: destinationId }))
  await queue.enqueueAll({ sql: database.system }, deliverMessages, deliveries)
  return most === messagesMax
}

export function deliveryTicks(services: { database: Database; queue: JobQueue }): Tick[] {
  return [{ name: 'delivery.poll', everyMs: 1_000, run: () => poll(services) }]
}
