import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue, Tick } from '../../../kernel/jobs/index.ts'
import { replayMessages } from './job-references.ts'
import { deleteOldReplays, findOpenReplays } from './replay-store.ts'

/**
 * Looks for replays that nobody works on: their process has stopped or died. Of those that somebody does, nothing is
 * enqueued twice.
 */
export async function pollReplays({ database, queue }: { database: Database; queue: JobQueue }): Promise<boolean> {
  const open = await findOpenReplays(database.system)
  const items = open.map((data) => ({ data, key: data.replayId }))
  await queue.enqueueAll({ sql: database.system }, replayMessages, items)
  return false
}

export function messagesTicks(services: { database: Database; queue: JobQueue; config: Config }): Tick[] {
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
