import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Services } from '../../../services.ts'
import { claimDueReads, enqueueDueRuns } from './claim-due.ts'
import { deliverResults } from './endpoints/deliver-results.ts'
import { getBackfillProgress } from './endpoints/get-backfill-progress.ts'
import { pauseReads } from './endpoints/pause-reads.ts'
import { triggerRead } from './endpoints/trigger-read.ts'
import { unpauseReads } from './endpoints/unpause-reads.ts'
import { releasePages } from './jobs/release-pages.ts'
import { resyncInstallations } from './jobs/resync-installations.ts'
import { runReads } from './jobs/run-reads.ts'
import { dropHeldPages } from './on-request/drop-held-pages.ts'

export { pauseForCredentials, syncAfterDeploy } from './follow-changes.ts'
export { listInstallationIds } from './pause-store.ts'
export { recordEntry, type Selection, wantedFields } from './record-entry.ts'
export { syncInstallation } from './sync.ts'
export { claimDueReads }

export const readingEndpoints = [triggerRead, pauseReads, unpauseReads, deliverResults, getBackfillProgress]
export const readingJobs = [runReads, releasePages, resyncInstallations]

export function readingTicks({
  database,
  queue,
  newId,
  now,
  work,
  config,
}: Pick<Services, 'database' | 'queue' | 'newId' | 'now' | 'work' | 'config'>): Tick[] {
  return [
    {
      name: 'reading.schedule',
      everyMs: 1_000,
      run: async () => (await claimDueReads({ database, queue, newId, work })) > 0,
    },
    {
      name: 'reading.sweep',
      everyMs: 1_000,
      async run() {
        await enqueueDueRuns({ database, queue, work })
        return false
      },
    },
    {
      name: 'reading.held-pages',
      everyMs: 600_000,
      run: () => dropHeldPages({ config, database, newId, now }),
    },
  ]
}
