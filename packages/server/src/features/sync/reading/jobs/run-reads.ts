import { job } from '../../../../kernel/jobs/index.ts'
import { runReads, runReadsKey } from '../job-references.ts'
import { processReadRuns } from '../process-read-runs.ts'
import type { ReadServices } from '../read-services.ts'

/**
 * Works off the waiting runs of one object of one installation, one after the other. The key is the installation and
 * the object, so that no two nodes read the same object at once. A process that dies is noticed by its heartbeat, and
 * the run goes on at its last committed page.
 */
export const runReadsHandler = job(runReads, {
  policy: 'one-per-key',
  concurrency: 16,
  expireInSeconds: 23 * 3_600,
  heartbeatSeconds: 10,
  retryLimit: 1_000_000,
  retryDelaySeconds: 0,
  async run({ data, signal, log }, services: ReadServices) {
    const outcome = await processReadRuns(data, services, signal, log)
    if (outcome === 'yield')
      await services.queue.enqueue(services.database.forProject(data.projectId), runReads, data, runReadsKey(data))
  },
})
