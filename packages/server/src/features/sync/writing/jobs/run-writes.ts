import { type Job, job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { processWriteRuns, type RunWritesData } from '../process-write-runs.ts'

/**
 * Works off the accepted writes of one object of one installation. It knows none of them: they are claimed one by one,
 * under a lease, so that two jobs of the same object never send the same write.
 */
export const runWrites: Job<RunWritesData, Services> = job({
  name: 'writing.run',
  policy: 'one-per-key',
  concurrency: 16,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  retryLimit: 1_000_000,
  retryDelaySeconds: 1,
  run: ({ data, signal, log }, services) => processWriteRuns(data, services, signal, log),
})

/** The job of an object, as the queue takes it. */
export function runWritesItem(data: RunWritesData): { data: RunWritesData; key: string } {
  return { data, key: `${data.installationId}:${data.objectName}` }
}
