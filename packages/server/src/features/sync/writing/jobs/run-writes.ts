import { job } from '../../../../kernel/jobs/index.ts'
import { runWrites } from '../job-references.ts'
import { processWriteRuns } from '../process-write-runs.ts'
import type { WriteServices } from '../write-services.ts'

/**
 * Processes the accepted writes of one object of one installation. Claims them one by one under a lease, so that two
 * jobs of the same object never send the same write.
 */
export const runWritesHandler = job(runWrites, {
  policy: 'one-per-key',
  concurrency: 16,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 1_000_000,
  retryDelaySeconds: 1,
  run: ({ data, signal, log }, services: WriteServices) => processWriteRuns(data, services, signal, log),
})
