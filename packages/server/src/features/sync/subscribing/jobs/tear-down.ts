import { job } from '../../../../kernel/jobs/index.ts'
import { tearDownJob } from '../job-references.ts'
import type { SubscribeServices } from '../subscribe-services.ts'
import { tearDown } from '../tear-down.ts'

/** Ends at the provider what was registered for an installation that is gone. */
export const tearDownHandler = job(tearDownJob, {
  policy: 'one-per-key',
  concurrency: 4,
  expireInSeconds: 900,
  heartbeatSeconds: 10,
  // What is not settled is due again; the tick finds it.
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: ({ data: { projectId, id }, signal }, services: SubscribeServices) =>
    tearDown(services.database.forProject(projectId), services, id, signal),
})
