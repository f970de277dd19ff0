import { Empty, endpoint, reply } from '../../../../kernel/http/index.ts'
import type { IntegrationHooks } from '../hooks.ts'
import { IntegrationPath } from '../model.ts'
import { IntegrationNotFound } from '../problems.ts'
import { deleteIntegrationRow, findIntegration, lockDeploys, lockIntegrationForDelete } from '../store.ts'

export const deleteIntegration = endpoint({
  id: 'deleteIntegration',
  method: 'DELETE',
  path: '/projects/{projectIdOrName}/integrations/{integrationIdOrName}',
  access: 'develop',
  summary: 'Delete an integration with its revisions and installations.',
  description:
    'Connections that no other installation uses go too, as when an installation is deleted. What was read before is still delivered.',
  tag: 'Integrations',
  params: IntegrationPath,
  reply: { 204: Empty },
  problems: [IntegrationNotFound],
  run: async ({ db, params }, services: { hooks: IntegrationHooks }) =>
    await db.transaction(async (tx) => {
      await lockDeploys(tx)
      const integration = await findIntegration(tx, params.integrationIdOrName)
      if (!integration) throw new IntegrationNotFound()
      await lockIntegrationForDelete(tx, integration.id)
      await services.hooks.integrationDeleting(tx, { integrationId: integration.id })
      await deleteIntegrationRow(tx, integration.id)
      return reply(204, null)
    }),
})
