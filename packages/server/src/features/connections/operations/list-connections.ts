import { Type } from 'typebox'
import { operation, ProjectPath, reply } from '../../../kernel/http/index.ts'
import { Connection, connectionResource } from '../resource.ts'
import { listConnectionRows } from '../store.ts'

export const listConnections = operation({
  id: 'listConnections',
  method: 'GET',
  path: '/projects/{projectIdOrName}/connections',
  access: 'frontend',
  summary: 'List the connections of the project, newest first.',
  tag: 'Connections',
  params: ProjectPath,
  query: Type.Object({
    provider: Type.Optional(Type.String({ description: 'Only connections to this provider.' })),
    groupRef: Type.Optional(Type.String({ description: 'Only connections of this group.' })),
    consumerRef: Type.Optional(Type.String({ description: 'Only connections of this consumer.' })),
  }),
  reply: { 200: Type.Array(Connection) },
  run: async ({ db, query }) => {
    const rows = await listConnectionRows(db, query)
    return reply(
      200,
      rows.map((row) => connectionResource(row)),
    )
  },
})
