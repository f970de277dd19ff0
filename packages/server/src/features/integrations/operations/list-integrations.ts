import { Type } from 'typebox'
import { operation, ProjectPath, reply } from '../../../kernel/http/index.ts'
import { Integration, integrationResource } from '../model.ts'
import { listIntegrationRows } from '../store.ts'

export const listIntegrations = operation({
  id: 'listIntegrations',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations',
  access: 'frontend',
  summary: 'Lists the integrations of the project, oldest first.',
  tag: 'Integrations',
  params: ProjectPath,
  reply: { 200: Type.Array(Integration) },
  run: async ({ db }) => reply(200, (await listIntegrationRows(db)).map(integrationResource)),
})
