import { type Job, job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { setUp } from '../set-up.ts'

export interface SetUpData {
  projectId: string
  installationId: string
}

/**
 * Brings the registrations of one installation in line. The key is the installation: two of them at once would register
 * twice.
 */
export const setUpSubscription: Job<SetUpData, Services> = job({
  name: 'subscribing.set-up',
  policy: 'one-per-key',
  concurrency: 8,
  expireInSeconds: 900,
  heartbeatSeconds: 10,
  retryLimit: 20,
  retryDelaySeconds: 5,
  run: ({ data: { projectId, installationId }, signal }, services) =>
    setUp(services.database.forProject(projectId), services, installationId, signal),
})
