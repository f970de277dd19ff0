import { job } from '../../../../kernel/jobs/index.ts'
import { tearDownJob } from '../job-references.ts'
import type { SubscribeServices } from '../subscribe-services.ts'
import { tearDown } from '../tear-down.ts'

/** Ends the registrations of a deleted installation at the provider. */
export const tearDownHandler = job(tearDownJob, {
  policy: 'one-per-key',
  concurrency: 4,
  expireInSeconds: 900,
  heartbeatSeconds: 10,
  // Registrations that are still open are due again, and the tick finds them.
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: ({ data: { projectId, id }, signal }, services: SubscribeServices) =>
    tearDown(services.database.forProject(projectId), services, id, signal),
})
