import { endpoint, InvalidInput } from '../../../../kernel/http/index.ts'
import { managementSignInMetadata } from '../../agent-sessions/index.ts'
import {
  answerMessage,
  assertOrigin,
  loadLibrary,
  McpMessage,
  McpMessageRefused,
  mcpReplies,
  messageReply,
  OriginRefused,
} from '../../mcp/index.ts'
import { loadTools, managementServer } from '../management-server.ts'
import type { ManagementServices } from '../management-services.ts'

/** A manifest of 2 MB as a JSON string, and what is around it. */
const bodyBytesMax = 3 * 1_024 * 1_024

export const sendManagementMessage = endpoint({
  id: 'sendManagementMessage',
  method: 'POST',
  path: '//mcp/v1/manage',
  access: 'builder',
  agentSignIn: { of: 'builder', metadata: managementSignInMetadata },
  summary: 'Model Context Protocol: tools for builders.',
  description:
    'Streamable HTTP without sessions, for MCP clients of people who build integrations: each request has a complete JSON response. Authenticate with the token of an agent session. With the access token of a person, all tools only read. The tools call this API as the person.',
  tag: 'Tools',
  audit: { exempt: 'tools call the API, and changes leave entries' },
  extension: true,
  body: McpMessage,
  bodyBytesMax,
  reply: mcpReplies,
  problems: [InvalidInput, McpMessageRefused, OriginRefused],
  run: async (input, services: ManagementServices) => {
    const { body, headers, url, caller, address, log, signal } = input
    assertOrigin(headers['origin'], services.publicUrl)
    const [library, tools] = await Promise.all([loadLibrary(), loadTools()])
    const serving = { library, serve: () => managementServer(tools, services, { caller, address, log, signal }) }
    const asked = { url: new URL(url, services.publicUrl), headers, message: body }
    return messageReply(await answerMessage(serving, asked))
  },
})
