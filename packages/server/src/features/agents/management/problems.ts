import { problem } from '../../../kernel/http/index.ts'

export const McpStreamNotOffered = problem({
  code: 'mcp-stream-not-offered',
  status: 405,
  title: 'There is no stream',
  detail: 'The MCP server for builders sends no notifications: its tools do not change.',
  remedy: 'Send messages with POST.',
  allow: 'POST',
  retryable: false,
  subsystem: 'management',
})
