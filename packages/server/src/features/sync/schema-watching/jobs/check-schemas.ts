import { type Job, job } from '../../../../kernel/jobs/index.ts'
import { type CheckServices, checkInstallation } from '../check-installation.ts'

/** Looks at the fields of the objects of one installation that were claimed. */
export const checkSchemas: Job<{ projectId: string; installationId: string }, CheckServices> = job({
  name: 'schema-watching.check',
  policy: 'one-per-key',
  concurrency: 4,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  // What is not settled is due again when its lease ends.
  retryLimit: 3,
  retryDelaySeconds: 5,
  run: ({ data, signal, log }, services) => checkInstallation(data, services, signal, log),
})
