export { type McpServerTarget, useProviderMcpServer } from './use-provider-mcp-server.ts'
