import { endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import { findIntegration, IntegrationNotFound } from '../../integrations/index.ts'
import { type ScopeServices, withMissingScopes } from '../missing-scopes.ts'
import { InstallationNotFound } from '../problems.ts'
import { Installation } from '../resource.ts'
import { findInstallationRow } from '../store.ts'

export const installationPath = Path({ projectIdOrName: Ref, integrationId: Ref, installationId: Ref })

export const getInstallation = endpoint({
  id: 'getInstallation',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}',
  access: 'frontendView',
  session: 'install',
  summary: 'Get an installation.',
  tag: 'Installations',
  params: installationPath,
  reply: { 200: Installation },
  problems: [IntegrationNotFound, InstallationNotFound],
  run: async ({ db, params, confinedTo }, services: ScopeServices) => {
    const integration = await findIntegration(db, params.integrationId, confinedTo)
    if (!integration) throw new IntegrationNotFound()
    const row = await findInstallationRow(db, params.installationId, confinedTo)
    if (row?.integration_id !== integration.id) throw new InstallationNotFound()
    const [installation] = await withMissingScopes(db, services, [row])
    if (!installation) throw new InstallationNotFound()
    return reply(200, installation)
  },
})
