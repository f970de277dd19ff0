import type { Tick } from '../../kernel/jobs/index.ts'
import type { Services } from '../../services.ts'
import { drainDestination } from './jobs/drain-destination.ts'
import { adoptMessages, findAdopters, findDueDestinations, holdMessages } from './sweep-store.ts'

/** Messages that change hands in one statement, and destinations that this is done for in one sweep. */
const messagesMax = 5_000
const destinationsMax = 20

/**
 * Looks for what is due. This is what delivery relies on: whoever posts messages enqueues a drain only to be faster, and a retry or
 * a probe that becomes due is found nowhere else. It also gives messages without a destination to the one that has their name by
 * now, and holds those of a deleted one.
 *
 * @returns whether there is more of the latter two
 */
export async function sweep({ database, queue }: Pick<Services, 'database' | 'queue'>): Promise<boolean> {
  let most = 0
  for (const adopter of (await findAdopters(database.system)).slice(0, destinationsMax))
    most = Math.max(most, await adoptMessages(database.system, adopter, messagesMax))
  const due = await findDueDestinations(database.system)
  for (const deleted of due.filter(({ missing }) => missing).slice(0, destinationsMax))
    most = Math.max(most, await holdMessages(database.system, deleted, messagesMax))
  const drains = due
    .filter(({ missing }) => !missing)
    .map(({ projectId, destinationId }) => ({ data: { projectId, destinationId }, key: destinationId }))
  await queue.enqueueAll({ sql: database.system }, drainDestination, drains)
  return most === messagesMax
}

export function destinationsTicks(services: Pick<Services, 'database' | 'queue'>): Tick[] {
  return [{ name: 'destinations.sweep', everyMs: 1_000, run: () => sweep(services) }]
}
