import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Services } from '../../../services.ts'
import { drainDestination } from './jobs/drain-destination.ts'
import { replayMessages } from './jobs/replay-messages.ts'
import { deleteOldReplays, findOpenReplays } from './replay-store.ts'
import { adoptMessages, findAdopters, findDueDestinations, holdMessages } from './sweep-store.ts'

/** Messages that change hands in one statement, and destinations that this is done for in one sweep. */
const messagesMax = 5_000
const destinationsMax = 20

/**
 * Looks for what is due. This is what delivery relies on: whoever posts messages enqueues a drain only to be faster,
 * and a retry or a probe that becomes due is found nowhere else. It also gives messages without a destination to the
 * one that has their name by now, and holds those of a deleted one.
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

/**
 * Looks for replays that nobody works on: their process has stopped or died. Of those that somebody does, nothing is
 * enqueued twice.
 */
export async function sweepReplays({ database, queue }: Pick<Services, 'database' | 'queue'>): Promise<boolean> {
  const open = await findOpenReplays(database.system)
  const items = open.map((data) => ({ data, key: data.replayId }))
  await queue.enqueueAll({ sql: database.system }, replayMessages, items)
  return false
}

export function destinationsTicks(services: Pick<Services, 'database' | 'queue' | 'config'>): Tick[] {
  return [
    { name: 'destinations.sweep', everyMs: 1_000, run: () => sweep(services) },
    { name: 'destinations.replays', everyMs: 5_000, run: () => sweepReplays(services) },
    {
      name: 'destinations.old-replays',
      everyMs: 3_600_000,
      async run() {
        await deleteOldReplays(services.database.system, services.config.retentionDays)
        return false
      },
    },
  ]
}
