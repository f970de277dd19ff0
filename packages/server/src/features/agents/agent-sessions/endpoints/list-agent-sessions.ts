import { Type } from 'typebox'
import { endpoint, PageQuery, ProjectPath, pageOf, reply } from '../../../../kernel/http/index.ts'
import { AgentSession, sessionResource } from '../session-resource.ts'
import { listAgentSessionRows } from '../session-store.ts'

export const listAgentSessions = endpoint({
  id: 'listAgentSessions',
  method: 'GET',
  path: '/projects/{projectIdOrName}/agent-sessions',
  access: 'view',
  summary: 'List the MCP clients that consumers signed in.',
  description: 'Newest first, without those that have ended.',
  tag: 'Agent sign-in',
  extension: true,
  params: ProjectPath,
  query: Type.Object({
    groupRef: Type.Optional(Type.String({ minLength: 1, description: 'Only sessions of this group.' })),
    consumerRef: Type.Optional(Type.String({ minLength: 1, description: 'Only sessions of this consumer.' })),
    ...PageQuery,
  }),
  reply: { 200: Type.Array(AgentSession) },
  run: async (input, services: { now: () => Date }) => {
    const { db, query } = input
    const { groupRef, consumerRef } = query
    const now = services.now()
    const { items, headers } = await pageOf(input, {
      list: (page) => listAgentSessionRows(db, { groupRef, consumerRef, now }, page),
      keyOf: ({ id }) => id,
      pageSizeDefault: 100,
    })
    return reply(200, items.map(sessionResource), headers)
  },
})
