import type { Tick } from '../../kernel/jobs/index.ts'
import type { Services } from '../../services.ts'
import { drainDestination } from './jobs/drain-destination.ts'
import { adoptMessages, findDueDestinations, holdMessages } from './sweep-store.ts'

/** Messages that change hands in one statement. */
const messagesMax = 5_000

/**
 * Looks for what is due. This is what delivery relies on: whoever posts messages enqueues a drain only to be faster, and a retry or
 * a probe that becomes due is found nowhere else. It also gives messages without a destination to the one that has their name by
 * now, and holds those of a deleted one.
 *
 * @returns whether there is more of the latter two
 */
export async function sweep({ database, queue }: Pick<Services, 'database' | 'queue'>): Promise<boolean> {
  const adopted = await adoptMessages(database.system, messagesMax)
  const due = await findDueDestinations(database.system)
  let held = 0
  for (const destination of due.filter(({ missing }) => missing).slice(0, 20))
    held = Math.max(held, await holdMessages(database.system, destination, messagesMax))
  const drains = due
    .filter(({ missing }) => !missing)
    .map(({ projectId, destinationId }) => ({ data: { projectId, destinationId }, key: destinationId }))
  await queue.enqueueAll({ sql: database.system }, drainDestination, drains)
  return adopted === messagesMax || held === messagesMax
}

export function destinationsTicks(services: Pick<Services, 'database' | 'queue'>): Tick[] {
  return [{ name: 'destinations.sweep', everyMs: 1_000, run: () => sweep(services) }]
}
