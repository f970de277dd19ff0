import { job } from '../../../../kernel/jobs/index.ts'
import { type CheckServices, checkInstallation } from '../check-installation.ts'
import { checkSchemas } from '../job-references.ts'

/** Checks the fields of the objects of one installation that are due. */
export const checkSchemasHandler = job(checkSchemas, {
  policy: 'one-per-key',
  concurrency: 4,
  expireInSeconds: 3_600,
  heartbeatSeconds: 10,
  // What is not settled is due again; the tick finds it.
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: ({ data, signal, log }, services: CheckServices) => checkInstallation(data, services, signal, log),
})
