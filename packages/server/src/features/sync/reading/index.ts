import type { Config } from '../../../config.ts'
import type { Database, NewId } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import type { ClaimLoop } from '../../../kernel/work/index.ts'
import { deletionChecks } from './deletion-checks/deletion-checks.ts'
import { cancelResend } from './endpoints/cancel-resend.ts'
import { deliverResults } from './endpoints/deliver-results.ts'
import { getBackfillProgress } from './endpoints/get-backfill-progress.ts'
import { getInstallationStatus } from './endpoints/get-installation-status.ts'
import { getResend } from './endpoints/get-resend.ts'
import { listReadSchedules } from './endpoints/list-read-schedules.ts'
import { pauseReads } from './endpoints/pause-reads.ts'
import { previewRecords } from './endpoints/preview-records.ts'
import { resendToDestination } from './endpoints/resend-to-destination.ts'
import { triggerRead } from './endpoints/trigger-read.ts'
import { unpauseReads } from './endpoints/unpause-reads.ts'
import { abortProviderJobHandler } from './jobs/abort-provider-job.ts'
import { releasePagesHandler } from './jobs/release-pages.ts'
import { resyncInstallationsHandler } from './jobs/resync-installations.ts'
import { dropBufferedPages } from './on-request/drop-buffered-pages.ts'
import type { ReadServices } from './read-services.ts'
import { resends } from './resends/resends.ts'
import { scheduledReads } from './scheduled-reads.ts'
import { storedRuns } from './stored-runs.ts'

export { claimDueReads } from './due-reads.ts'
export { pauseForCredentials, syncAfterDeploy } from './follow-changes.ts'
export type { EndedRead, ReadHooks } from './hooks.ts'
export { lockReadsOf } from './lock-reads.ts'
export { listInstallationIds } from './pause-store.ts'
export { type ChangedObject, readSoon } from './read-soon.ts'
export { recordEntry, recordValues, type Selection, wantedFields } from './record-entry.ts'
export { countRuns, listPagesOf } from './run-store.ts'
export { syncInstallation } from './sync.ts'

export const readingEndpoints = [
  triggerRead,
  pauseReads,
  unpauseReads,
  deliverResults,
  getBackfillProgress,
  listReadSchedules,
  getInstallationStatus,
  previewRecords,
  resendToDestination,
  getResend,
  cancelResend,
]
export const readingJobs = [releasePagesHandler, resyncInstallationsHandler, abortProviderJobHandler]

/** Reads on schedules, stored runs, checks for deleted records, and resends. */
export function readingLoops(services: ReadServices): ClaimLoop[] {
  return [scheduledReads(services), storedRuns(services), deletionChecks(services), resends(services)]
}

export function readingTicks(services: { config: Config; database: Database; newId: NewId; now: () => Date }): Tick[] {
  return [
    {
      name: 'reading.buffered-pages',
      everyMs: 600_000,
      run: () => dropBufferedPages(services),
    },
  ]
}
