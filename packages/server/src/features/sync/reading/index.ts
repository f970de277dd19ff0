import type { Config } from '../../../config.ts'
import type { Database, NewId } from '../../../kernel/db/index.ts'
import type { JobQueue, Tick } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { claimDueReads, enqueueDueRuns } from './claim-due.ts'
import { deliverResults } from './endpoints/deliver-results.ts'
import { getBackfillProgress } from './endpoints/get-backfill-progress.ts'
import { pauseReads } from './endpoints/pause-reads.ts'
import { triggerRead } from './endpoints/trigger-read.ts'
import { unpauseReads } from './endpoints/unpause-reads.ts'
import { releasePagesHandler } from './jobs/release-pages.ts'
import { resyncInstallationsHandler } from './jobs/resync-installations.ts'
import { runReadsHandler } from './jobs/run-reads.ts'
import { dropBufferedPages } from './on-request/drop-buffered-pages.ts'

export { pauseForCredentials, syncAfterDeploy } from './follow-changes.ts'
export type { EndedRead, ReadHooks } from './hooks.ts'
export { lockReadsOf } from './lock-reads.ts'
export { listInstallationIds } from './pause-store.ts'
export { recordEntry, type Selection, wantedFields } from './record-entry.ts'
export { syncInstallation } from './sync.ts'
export { claimDueReads }

export const readingEndpoints = [triggerRead, pauseReads, unpauseReads, deliverResults, getBackfillProgress]
export const readingJobs = [runReadsHandler, releasePagesHandler, resyncInstallationsHandler]

export function readingTicks({
  database,
  queue,
  newId,
  now,
  work,
  config,
}: {
  database: Database
  queue: JobQueue
  newId: NewId
  now: () => Date
  work: Work
  config: Config
}): Tick[] {
  return [
    {
      name: 'reading.schedule',
      everyMs: 1_000,
      run: async () => (await claimDueReads({ database, queue, newId, work, config })) > 0,
    },
    {
      name: 'reading.poll',
      everyMs: 1_000,
      async run() {
        await enqueueDueRuns({ database, queue, work })
        return false
      },
    },
    {
      name: 'reading.buffered-pages',
      everyMs: 600_000,
      run: () => dropBufferedPages({ config, database, newId, now }),
    },
  ]
}
