import { Type } from 'typebox'
import { endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { Integration, integrationResource } from '../model.ts'
import { listIntegrationRows } from '../store.ts'

export const listIntegrations = endpoint({
  id: 'listIntegrations',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations',
  access: 'frontendView',
  summary: 'List the integrations of the project, oldest first.',
  tag: 'Integrations',
  params: ProjectPath,
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(Integration) },
  run: async (input) => {
    const { items, headers } = await pageOf(input, {
      list: (page) => listIntegrationRows(input.db, page),
      keyOf: ({ id }) => id,
    })
    return reply(200, items.map(integrationResource), headers)
  },
})
