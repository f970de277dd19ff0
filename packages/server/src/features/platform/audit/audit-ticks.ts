import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import { keptFrom } from './kept-from.ts'
import { sealLogs } from './seal.ts'
import { deleteOldEntries } from './store.ts'

/** Entries that one statement deletes. */
const deletedMax = 5_000

/** Seals new entries, and deletes those past retention. */
export function auditTicks({
  config,
  database,
  now,
}: {
  config: Pick<Config, 'auditRetentionDays'>
  database: Database
  now: () => Date
}): Tick[] {
  return [
    { name: 'audit.seal', everyMs: 5_000, run: () => sealLogs({ database }) },
    {
      name: 'audit.retention',
      everyMs: 3_600_000,
      run: async () => (await deleteOldEntries(database.system, keptFrom(config, now()), deletedMax)) === deletedMax,
    },
  ]
}
