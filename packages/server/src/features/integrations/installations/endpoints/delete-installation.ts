import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import type { ConnectionHooks } from '../../../accounts/connections/index.ts'
import { findIntegration, IntegrationNotFound } from '../../integrations/index.ts'
import type { InstallationHooks } from '../hooks.ts'
import { InstallationNotFound } from '../problems.ts'
import { installationOf } from '../store.ts'
import { uninstall } from '../uninstall.ts'
import { installationPath } from './get-installation.ts'

export const deleteInstallation = endpoint({
  id: 'deleteInstallation',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}',
  access: 'frontendDevelop',
  session: 'manage',
  summary: 'Delete an installation, and its connection when no other installation uses it.',
  description: 'Stops its reads, and ends its operations as failed. Messages that exist already are still delivered.',
  tag: 'Installations',
  params: installationPath,
  reply: { 204: Empty },
  problems: [IntegrationNotFound, InstallationNotFound],
  run: async ({ db, params, confinedTo }, services: { hooks: InstallationHooks & ConnectionHooks }) => {
    const integration = await findIntegration(db, params.integrationId, confinedTo)
    if (!integration) throw new IntegrationNotFound()
    const installation = await installationOf(db, integration.id, params.installationId, confinedTo)
    if (!installation) throw new InstallationNotFound()
    const uninstalled = await db.transaction((tx) => uninstall(tx, services, { installationId: installation.id }))
    if (uninstalled.length === 0) throw new InstallationNotFound()
    return reply(204, null)
  },
})
