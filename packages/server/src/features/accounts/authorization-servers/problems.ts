import { problem } from '../../../kernel/http/index.ts'

export const AuthorizationServerUnusable = problem({
  code: 'authorization-server-unusable',
  status: 422,
  title: 'The account cannot be authorized at the MCP server',
  detail: 'The MCP server, or its authorization server, does not describe how to authorize an account.',
  remedy: 'Check the address of the MCP server, or ask its vendor.',
  retryable: false,
  subsystem: 'connections',
})

export const AuthorizationServerUnavailable = problem({
  code: 'authorization-server-unavailable',
  status: 422,
  title: 'The MCP server could not be reached',
  detail: 'The MCP server, or its authorization server, could not be reached.',
  remedy: 'Check the address of the MCP server, and send the request again.',
  retryable: true,
  subsystem: 'connections',
})
