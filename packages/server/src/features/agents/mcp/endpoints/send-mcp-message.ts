import { Type } from 'typebox'
import {
  type Caller,
  Empty,
  endpoint,
  FreeForm,
  InvalidInput,
  named,
  ProjectPath,
  reply,
} from '../../../../kernel/http/index.ts'
import type { PubSub } from '../../../../kernel/pubsub/index.ts'
import { agentSignInMetadata } from '../../agent-sessions/index.ts'
import { assertAudience, calledGroup, type ToolServices } from '../../tools/index.ts'
import { answerMessage } from '../answer-message.ts'
import { loadLibrary } from '../library.ts'
import { McpQuery } from '../mcp-query.ts'
import { createMcpServer } from '../mcp-server.ts'
import { assertOrigin } from '../origin.ts'
import { McpMessageRefused, OriginRefused } from '../problems.ts'

const Message = named(
  'McpMessage',
  Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'A JSON-RPC message.' }),
)
const Refused = Type.Unsafe<Record<string, unknown>>({ ...FreeForm, description: 'A JSON-RPC error.' })

type McpServices = ToolServices & { publicUrl: string; pubsub: PubSub }

export const sendMcpMessage = endpoint({
  id: 'sendMcpMessage',
  method: 'POST',
  path: '//mcp/v1/projects/{projectIdOrName}',
  access: 'agent',
  agentSignIn: agentSignInMetadata,
  summary: 'Model Context Protocol: tools and records of a group.',
  description:
    'Streamable HTTP without sessions, for MCP clients: each request has a complete JSON response. Only the response to `subscriptions/listen` is a stream of events. Authenticate with a consumer token, with the token of an agent session, or with an API key and `groupRef`.',
  tag: 'Tools',
  audit: { exempt: 'calls are operations' },
  extension: true,
  params: ProjectPath,
  query: McpQuery,
  body: Message,
  bodyBytesMax: 131_072,
  reply: {
    200: Type.Unsafe<Record<string, unknown> | string>({ ...FreeForm, description: 'A JSON-RPC message.' }),
    202: Empty,
    400: Refused,
    404: Refused,
  },
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
      follow: { pubsub: services.pubsub, db, groupRef: user.groupRef },
      streamSignal: () => input.streamSignal,
    }
    const asked = { url: new URL(url, services.publicUrl), headers, message: body }
    const { status, body: answer, headers: more } = await answerMessage(serving, asked)
    if (status === 202) return reply(202, null)
    if (status === 200) return reply(200, answer ?? {}, more)
    if (isError(answer) && (status === 400 || status === 404)) return reply(status, answer)
    throw new McpMessageRefused()
  },
})

function isError(answer: unknown): answer is Record<string, unknown> {
  return typeof answer === 'object' && answer !== null && 'error' in answer
}

/** Returns the name of the client that a consumer signed in. */
function agentOf(caller: Caller): string | undefined {
  return caller.kind === 'consumer' ? caller.agent?.name : undefined
}
