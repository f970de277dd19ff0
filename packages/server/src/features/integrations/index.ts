import type { Tick } from '../../kernel/jobs/index.ts'
import type { Services } from '../../services.ts'
import { sweepUploads, uploadsOperations } from '../uploads/index.ts'
import { batchUpsertIntegrations } from './operations/batch-upsert-integrations.ts'
import { deleteIntegration } from './operations/delete-integration.ts'
import { getIntegration } from './operations/get-integration.ts'
import { listIntegrations } from './operations/list-integrations.ts'
import { validateManifest } from './operations/validate-manifest.ts'

export { Content as IntegrationContentSchema } from './content-schema.ts'
export {
  createManifestValidator,
  type ManifestValidatorOptions,
} from './manifest-validator.ts'
export { type Integration, type IntegrationRow, integrationResource, Revision } from './model.ts'
export { IntegrationNotFound } from './problems.ts'
export { findIntegration, latestContent } from './store.ts'

export const integrationsOperations = [
  listIntegrations,
  batchUpsertIntegrations,
  validateManifest,
  getIntegration,
  deleteIntegration,
  ...uploadsOperations,
]

/** Expired uploads are deleted every minute. */
export function integrationsTicks({ database }: Pick<Services, 'database'>): Tick[] {
  const run = async () => {
    await sweepUploads(database)
    return false
  }
  return [{ name: 'sweep-uploads', everyMs: 60_000, run }]
}
