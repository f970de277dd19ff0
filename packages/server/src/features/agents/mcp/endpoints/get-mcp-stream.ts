import { Type } from 'typebox'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { endpoint, FreeForm, InvalidInput, lastEventId, ProjectPath, reply } from '../../../../kernel/http/index.ts'
import { type PubSub, streamOf, TooManyStreams } from '../../../../kernel/pubsub/index.ts'
import { agentSignInMetadata } from '../../agent-sessions/index.ts'
import { assertAudience, calledGroup } from '../../tools/index.ts'
import { changedNotifications } from '../changed-notifications.ts'
import { McpQuery } from '../mcp-query.ts'
import { assertOrigin } from '../origin.ts'
import { OriginRefused } from '../problems.ts'

export const getMcpStream = endpoint({
  id: 'getMcpStream',
  method: 'GET',
  path: '//mcp/v1/projects/{projectIdOrName}',
  access: 'agent',
  agentSignIn: { of: 'consumer', metadata: agentSignInMetadata },
  summary: 'Model Context Protocol: notifications about changed tools.',
  description:
    'Server-sent events for clients of revisions before 2026-07-28: `notifications/tools/list_changed` and `notifications/resources/list_changed`, when the tools of the group may have changed. Newer clients send `subscriptions/listen`. A group can have 20 streams open on a node.',
  tag: 'Tools',
  extension: true,
  params: ProjectPath,
  query: McpQuery,
  reply: { 200: Type.Unsafe<string>({ ...FreeForm, description: 'Events; `data` is a JSON-RPC notification.' }) },
  produces: 'text/event-stream',
  problems: [InvalidInput, OriginRefused, TooManyStreams],
  run: async (
    { db, query, headers, confinedTo, signal },
    services: { database: Database; pubsub: PubSub; newId: NewId; publicUrl: string },
  ) => {
    assertOrigin(headers['origin'], services.publicUrl)
    assertAudience(headers['authorization'], services.publicUrl)
    const { groupRef } = calledGroup(query, confinedTo, 'query')
    const hasMissed = lastEventId(headers) !== undefined
    return reply(
      200,
      streamOf({ signal, source: await changedNotifications(services, { db, groupRef, hasMissed, signal }) }),
    )
  },
})
