import { Type } from 'typebox'
import { endpoint, PageQuery, Path, pageOf, Ref, reply } from '../../../../kernel/http/index.ts'
import { findIntegration, IntegrationNotFound } from '../../integrations/index.ts'
import { Installation, installationResource } from '../resource.ts'
import { filterOf, listInstallationRows } from '../store.ts'

export const groupRefFilter = Type.Object({
  groupRef: Type.Optional(Type.String({ description: 'Only installations of this group.' })),
  ...PageQuery,
})

export const listInstallations = endpoint({
  id: 'listInstallations',
  method: 'GET',
  path: '/projects/{projectIdOrName}/integrations/{integrationId}/installations',
  access: 'frontendView',
  session: 'install',
  summary: 'List the installations of an integration, newest first.',
  tag: 'Installations',
  params: Path({ projectIdOrName: Ref, integrationId: Ref }),
  query: groupRefFilter,
  reply: { 200: Type.Array(Installation) },
  problems: [IntegrationNotFound],
  run: async (input) => {
    const { db, params, query, confinedTo } = input
    const integration = await findIntegration(db, params.integrationId, confinedTo)
    if (!integration) throw new IntegrationNotFound()
    const { items, headers } = await pageOf(input, {
      list: (page) =>
        listInstallationRows(db, { ...query, ...filterOf(confinedTo), integrationId: integration.id }, page),
      keyOf: ({ id }) => id,
    })
    return reply(
      200,
      items.map((row) => installationResource(row)),
      headers,
    )
  },
})
