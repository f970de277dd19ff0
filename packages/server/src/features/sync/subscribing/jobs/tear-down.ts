import { type Job, job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { tearDown } from '../tear-down.ts'

export interface TearDownData {
  projectId: string
  id: string
}

/** Ends at the provider what was registered for an installation that is gone. */
export const tearDownJob: Job<TearDownData, Services> = job({
  name: 'subscribing.tear-down',
  policy: 'one-per-key',
  concurrency: 4,
  expireInSeconds: 900,
  heartbeatSeconds: 10,
  retryLimit: 20,
  retryDelaySeconds: 5,
  run: ({ data: { projectId, id }, signal }, services) =>
    tearDown(services.database.forProject(projectId), services, id, signal),
})
