import type { Tick } from '../../../kernel/jobs/index.ts'
import type { Services } from '../../../services.ts'
import { sweepUploads, uploadsOperations } from '../uploads/index.ts'
import { batchUpsertIntegrations } from './operations/batch-upsert-integrations.ts'
import { createIntegration } from './operations/create-integration.ts'
import { createRevision } from './operations/create-revision.ts'
import { deleteIntegration } from './operations/delete-integration.ts'
import { getIntegration } from './operations/get-integration.ts'
import { listIntegrations } from './operations/list-integrations.ts'
import { listRevisions } from './operations/list-revisions.ts'
import { validateManifest } from './operations/validate-manifest.ts'

export { Content as IntegrationContentSchema } from './content-schema.ts'
export {
  createManifestValidator,
  type ManifestValidatorOptions,
} from './manifest-validator.ts'
export { type Integration, type IntegrationRow, integrationResource, Revision } from './model.ts'
export { IntegrationNotFound, RevisionNotFound } from './problems.ts'
export { receiverUrl } from './receiver-url.ts'
export { findIntegration, findRevision, latestContent, listSubscribing } from './store.ts'

export const integrationsOperations = [
  listIntegrations,
  createIntegration,
  batchUpsertIntegrations,
  validateManifest,
  getIntegration,
  deleteIntegration,
  listRevisions,
  createRevision,
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
