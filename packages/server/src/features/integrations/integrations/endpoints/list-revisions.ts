import { Type } from 'typebox'
import { endpoint, PageQuery, Path, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { Revision } from '../model.ts'
import { IntegrationNotFound } from '../problems.ts'
import { findIntegration, listRevisionRows } from '../store.ts'

export const listRevisions = endpoint({
  id: 'listRevisions',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/revisions',
  access: 'view',
  summary: 'List the revisions of an integration, newest first.',
  tag: 'Integrations',
  extension: true,
  params: Path({ projectIdOrName: Ref, integrationId: Ref }),
  query: Type.Object(PageQuery),
  reply: { 200: Type.Array(Revision) },
  problems: [IntegrationNotFound],
  run: async (input) => {
    const { db, params } = input
    const integration = await findIntegration(db, params.integrationId)
    if (!integration) throw new IntegrationNotFound()
    const { items, headers } = await pageOf(input, {
      list: (page) => listRevisionRows(db, integration.id, page),
      keyOf: ({ id }) => id,
    })
    return reply(200, items, headers)
  },
})
