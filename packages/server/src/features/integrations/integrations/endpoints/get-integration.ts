import { endpoint, reply } from '../../../../kernel/http/index.ts'
import { Integration, IntegrationPath, integrationResource } from '../model.ts'
import { IntegrationNotFound } from '../problems.ts'
import { findIntegration } from '../store.ts'

export const getIntegration = endpoint({
  id: 'getIntegration',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationIdOrName}',
  access: 'frontendView',
  session: 'install',
  summary: 'Show an integration with its latest revision.',
  tag: 'Integrations',
  params: IntegrationPath,
  reply: { 200: Integration },
  problems: [IntegrationNotFound],
  run: async ({ db, params, confinedTo }) => {
    const integration = await findIntegration(db, params.integrationIdOrName, confinedTo)
    if (!integration) throw new IntegrationNotFound()
    return reply(200, integrationResource(integration))
  },
})
