import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { listCounts } from './endpoints/list-counts.ts'
import { listTopInstallations } from './endpoints/list-top-installations.ts'
import { dropRankings, rankInstallations } from './rankings.ts'
import { dropCountPartitions } from './store.ts'

export { type CountBuffer, createCountBuffer } from './count-buffer.ts'
export { countsOfDays } from './counts-of-days.ts'
export { type Counted, type Counts, CountsSchema } from './model.ts'
export { eraseCounts } from './store.ts'

export const countsEndpoints = [listCounts, listTopInstallations]

export function countsTicks({
  config,
  database,
  log,
  now,
}: {
  config: Config
  database: Database
  log: Logger
  now: () => Date
}): Tick[] {
  return [
    {
      name: 'counts.retention',
      everyMs: 3_600_000,
      async run() {
        const partitions = await dropCountPartitions(database.system, config.countsRetentionDays)
        if (partitions.length > 0) log.info({ partitions }, 'dropped counts past retention')
        await dropRankings(database.system, now(), config.countsRetentionDays)
        return false
      },
    },
    {
      name: 'counts.rankings',
      everyMs: 60_000,
      async run() {
        await rankInstallations(database.system, now())
        return false
      },
    },
  ]
}
