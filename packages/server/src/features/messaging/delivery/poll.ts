import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue, Tick } from '../../../kernel/jobs/index.ts'
import { findDueDestinations, findReattachable, orphanMessages, reattachOrphans } from '../messages/index.ts'
import { deliverMessages } from './jobs/deliver-messages.ts'

/** Messages of one statement, and destinations of one poll, that get or lose their destination. */
const messagesMax = 5_000
const destinationsMax = 20

/**
 * Looks for what is due. Delivery depends on this: whoever posts messages enqueues a delivery only to be faster, and
 * nothing else finds a retry or a probe that becomes due. It also gives orphan messages to the destination that has
 * their name by now, and makes those of a deleted destination orphans.
 *
 * @returns whether there is more of the latter two
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
