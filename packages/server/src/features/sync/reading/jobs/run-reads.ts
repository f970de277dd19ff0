import { job } from '../../../../kernel/jobs/index.ts'
import { runReads, runReadsKey } from '../job-references.ts'
import { processReadRuns } from '../process-read-runs.ts'
import type { ReadServices } from '../read-services.ts'

/**
 * Processes the waiting runs of one object of one installation, one after the other. The key is the installation and
 * the object, so that no two nodes read the same object at the same time. A missing heartbeat reveals a process that
 * died. The run then resumes at its last committed page.
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
