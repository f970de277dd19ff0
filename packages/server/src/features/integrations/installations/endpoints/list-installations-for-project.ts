import { Type } from 'typebox'
import { isId } from '../../../../kernel/db/index.ts'
import { Enum, endpoint, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { findIntegration } from '../../integrations/index.ts'
import { type ScopeServices, withMissingScopes } from '../missing-scopes.ts'
import { Installation, installationResource } from '../resource.ts'
import { filterOf, listInstallationRows } from '../store.ts'
import { groupRefFilter } from './list-installations.ts'

export const listInstallationsForProject = endpoint({
  id: 'listInstallationsForProject',
  method: 'GET',
  path: '/projects/{projectIdOrName}/installations',
  access: 'frontendView',
  session: 'install',
  summary: 'List the installations of all integrations, newest first.',
  tag: 'Installations',
  params: ProjectPath,
  query: Type.Object({
    ...groupRefFilter.properties,
    integrationId: Type.Optional(
      Type.String({ maxLength: 512, description: 'Only installations of this integration, by id or name.' }),
    ),
    connectionId: Type.Optional(Type.String({ maxLength: 512, description: 'Only installations on this connection.' })),
    includeMissingScopes: Type.Optional(
      Type.Boolean({
        description: 'With the OAuth scopes that each installation needs and its account did not grant.',
      }),
    ),
    healthStatus: Type.Optional(
      Enum(['healthy', 'unhealthy'], { description: 'Only installations that work, or that do not.' }),
    ),
  }),
  reply: { 200: Type.Array(Installation) },
  run: async (input, services: ScopeServices) => {
    const { db, query, confinedTo } = input
    const { integrationId: integration, includeMissingScopes, ...filters } = query
    const integrationId =
      integration === undefined ? undefined : (await findIntegration(db, integration, confinedTo))?.id
    // A filter that selects nothing finds nothing.
    const isNothing = integration !== undefined && integrationId === undefined
    if (isNothing || (query.connectionId !== undefined && !isId(query.connectionId))) return reply(200, [])
    const filter = { ...filters, ...filterOf(confinedTo), ...(integrationId !== undefined && { integrationId }) }
    const { items, headers } = await pageOf(input, {
      list: (page) => listInstallationRows(db, filter, page),
      keyOf: ({ id }) => id,
    })
    const installations = includeMissingScopes
      ? await withMissingScopes(db, services, items)
      : items.map((row) => installationResource(row))
    return reply(200, installations, headers)
  },
})
