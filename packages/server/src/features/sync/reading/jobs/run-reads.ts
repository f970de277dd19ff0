import { type Job, job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { processReadRuns, type RunReadsData } from '../process-read-runs.ts'

/** Key of the job: of one object, one run at a time. */
export function runReadsKey({
  installationId,
  objectName,
}: Pick<RunReadsData, 'installationId' | 'objectName'>): string {
  return `${installationId}:${objectName}`
}

/**
 * Works off the waiting runs of one object of one installation, one after the other. The key is the installation and
 * the object, so that no two nodes read the same object at once. A process that dies is noticed by its heartbeat, and
 * the run goes on at its last committed page.
 */
export const runReads: Job<RunReadsData, Services> = job({
  name: 'reading.run',
  policy: 'one-per-key',
  concurrency: 16,
  expireInSeconds: 23 * 3_600,
  heartbeatSeconds: 10,
  retryLimit: 1_000_000,
  retryDelaySeconds: 0,
  async run({ data, signal, log }, services) {
    const outcome = await processReadRuns(data, services, signal, log)
    if (outcome === 'yield')
      await services.queue.enqueue(services.database.forProject(data.projectId), runReads, data, runReadsKey(data))
  },
})
