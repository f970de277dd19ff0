import { type Caller, endpoint, InvalidInput, ProjectPath } from '../../../../kernel/http/index.ts'
import type { PubSub } from '../../../../kernel/pubsub/index.ts'
import { agentSignInMetadata } from '../../agent-sessions/index.ts'
import { assertAudience, calledGroup, type ToolServices } from '../../tools/index.ts'
import { answerMessage } from '../answer-message.ts'
import { loadLibrary } from '../library.ts'
import { McpQuery } from '../mcp-query.ts'
import { createMcpServer } from '../mcp-server.ts'
import { McpMessage, mcpReplies, messageReply } from '../message-reply.ts'
import { assertOrigin } from '../origin.ts'
import { McpMessageRefused, OriginRefused } from '../problems.ts'

type McpServices = ToolServices & { publicUrl: string; pubsub: PubSub }

export const sendMcpMessage = endpoint({
  id: 'sendMcpMessage',
  method: 'POST',
  path: '//mcp/v1/projects/{projectIdOrName}',
  access: 'agent',
  agentSignIn: { of: 'consumer', metadata: agentSignInMetadata },
  summary: 'Model Context Protocol: tools and records of a group.',
  description:
    'Streamable HTTP without sessions, for MCP clients: each request has a complete JSON response. Only the response to `subscriptions/listen` is a stream of events. Authenticate with a consumer token, with the token of an agent session, or with an API key and `groupRef`.',
  tag: 'Tools',
  audit: { exempt: 'calls are operations' },
  extension: true,
  params: ProjectPath,
  query: McpQuery,
  body: McpMessage,
  bodyBytesMax: 131_072,
  reply: mcpReplies,
  problems: [InvalidInput, McpMessageRefused, OriginRefused],
  run: async (input, services: McpServices) => {
    const { db, query, body, headers, url, caller, confinedTo, log } = input
    assertOrigin(headers['origin'], services.publicUrl)
    assertAudience(headers['authorization'], services.publicUrl)
    const user = {
      ...calledGroup(query, confinedTo, 'query'),
      agent: agentOf(caller) ?? query.agent,
      caller,
      confinedTo,
    }
    const library = await loadLibrary()
    const serving = {
      library,
      serve: (mayAsk: boolean) => createMcpServer(library, { db, services, log, signal: input.signal }, user, mayAsk),
      follow: {
        pubsub: services.pubsub,
        db,
        groupRef: user.groupRef,
        streamSignal: () => input.streamSignal,
      },
    }
    const asked = { url: new URL(url, services.publicUrl), headers, message: body }
    return messageReply(await answerMessage(serving, asked))
  },
})

/** Returns the name of the client that a consumer signed in. */
function agentOf(caller: Caller): string | undefined {
  return caller.kind === 'consumer' ? caller.agent?.name : undefined
}
