import { Type } from 'typebox'
import { Enum, endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { Connection, connectionResource } from '../resource.ts'
import { filterOf, listConnectionRows } from '../store.ts'

export const listConnections = endpoint({
  id: 'listConnections',
  method: 'GET',
  path: '/projects/{projectIdOrName}/connections',
  access: 'frontendView',
  session: 'read',
  summary: 'List the connections of the project, newest first.',
  tag: 'Connections',
  params: ProjectPath,
  query: Type.Object({
    provider: Type.Optional(Type.String({ description: 'Only connections to this provider.' })),
    groupRef: Type.Optional(Type.String({ description: 'Only connections of this group.' })),
    consumerRef: Type.Optional(Type.String({ description: 'Only connections of this consumer.' })),
    status: Type.Optional(
      Enum(['created', 'working', 'bad_credentials'], { description: 'Only connections of this status.' }),
    ),
    ...PageQuery,
  }),
  reply: { 200: Type.Array(Connection) },
  run: async (input) => {
    const { db, query, confinedTo } = input
    const { items, headers } = await pageOf(input, {
      list: (page) => listConnectionRows(db, { ...query, ...filterOf(confinedTo) }, page),
      keyOf: (row) => row.connection_id,
    })
    return reply(
      200,
      items.map((row) => connectionResource(row)),
      headers,
    )
  },
})
