import type { Database } from '../../../kernel/db/index.ts'
import type { Tick } from '../../../kernel/jobs/index.ts'
import { deleteExpiredUploads, uploadsEndpoints } from '../uploads/index.ts'
import { batchUpsertIntegrations } from './endpoints/batch-upsert-integrations.ts'
import { createIntegration } from './endpoints/create-integration.ts'
import { createRevision } from './endpoints/create-revision.ts'
import { deleteIntegration } from './endpoints/delete-integration.ts'
import { getIntegration } from './endpoints/get-integration.ts'
import { listIntegrations } from './endpoints/list-integrations.ts'
import { listRevisions } from './endpoints/list-revisions.ts'
import { validateManifest } from './endpoints/validate-manifest.ts'

export { Content as IntegrationContentSchema } from './content-schema.ts'
export type { IntegrationChange, IntegrationHooks } from './hooks.ts'
export type { ManifestOptions } from './manifest-request.ts'
export type { ManifestValidator } from './manifest-validator.ts'
export {
  createManifestValidator,
  type ManifestValidatorOptions,
} from './manifest-validator.ts'
export { MissingScope } from './missing-scope.ts'
export { type Integration, type IntegrationRow, integrationResource, Revision } from './model.ts'
export { neededScopes, type ObjectNeed, scopesOnDemand } from './needed-scopes.ts'
export { labelOf, objectNameOf } from './object-names.ts'
export { IntegrationNotFound, RevisionNotFound } from './problems.ts'
export { receiverUrl } from './receiver-url.ts'
export {
  type AgentIntegrationRow,
  findIntegration,
  findRevision,
  latestContent,
  listAgentIntegrations,
  listIntegrationRows,
  listIntegrationSummaries,
  listIntegrationsOf,
  listSubscribing,
} from './store.ts'

export const integrationsEndpoints = [
  listIntegrations,
  createIntegration,
  batchUpsertIntegrations,
  validateManifest,
  getIntegration,
  deleteIntegration,
  listRevisions,
  createRevision,
  ...uploadsEndpoints,
]

/** Expired uploads are deleted every minute. */
export function integrationsTicks({ database }: { database: Database }): Tick[] {
  const run = async () => {
    await deleteExpiredUploads(database)
    return false
  }
  return [{ name: 'integrations.uploads', everyMs: 60_000, run }]
}
