import { problem } from '../../../kernel/http/index.ts'

export const OriginRefused = problem({
  code: 'origin-refused',
  status: 403,
  title: 'The origin is not allowed',
  detail: 'MCP requests of web pages are accepted only from the address of Mortise.',
  remedy: 'Connect from a program, or send the requests of your page through your server.',
  retryable: false,
  subsystem: 'mcp',
})

export const McpMessageRefused = problem({
  code: 'mcp-message-refused',
  status: 400,
  title: 'The message is not valid',
  detail: 'The body is not a JSON-RPC message of the Model Context Protocol, or its version is not supported.',
  remedy: 'Send one message in each request, with a supported `MCP-Protocol-Version`.',
  retryable: false,
  subsystem: 'mcp',
})
