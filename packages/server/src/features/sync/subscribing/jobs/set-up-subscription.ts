import { job } from '../../../../kernel/jobs/index.ts'
import { setUpSubscription } from '../job-references.ts'
import { setUp } from '../set-up.ts'
import type { SubscribeServices } from '../subscribe-services.ts'

/**
 * Brings the registrations of one installation in line. The key is the installation, and the
 * lease of its subscription lets no two nodes register at the same time.
 */
export const setUpSubscriptionHandler = job(setUpSubscription, {
  policy: 'one-per-key',
  concurrency: 8,
  expireInSeconds: 900,
  heartbeatSeconds: 10,
  // What is not settled is due again; the tick finds it.
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: ({ data: { projectId, installationId }, signal }, services: SubscribeServices) =>
    setUp(services.database.forProject(projectId), services, installationId, signal),
})
