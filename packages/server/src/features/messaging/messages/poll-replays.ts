import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Services } from '../../../services.ts'
import { replayMessages } from './jobs/replay-messages.ts'
import { deleteOldReplays, findOpenReplays } from './replay-store.ts'

/**
 * Looks for replays that nobody works on: their process has stopped or died. Of those that somebody does, nothing is
 * enqueued twice.
 */
export async function pollReplays({ database, queue }: Pick<Services, 'database' | 'queue'>): Promise<boolean> {
  const open = await findOpenReplays(database.system)
  const items = open.map((data) => ({ data, key: data.replayId }))
  await queue.enqueueAll({ sql: database.system }, replayMessages, items)
  return false
}

export function messagesTicks(services: Pick<Services, 'database' | 'queue' | 'config'>): Tick[] {
  return [
    { name: 'messages.replays', everyMs: 5_000, run: () => pollReplays(services) },
    {
      name: 'messages.old-replays',
      everyMs: 3_600_000,
      async run() {
        await deleteOldReplays(services.database.system, services.config.retentionDays)
        return false
      },
    },
  ]
}
