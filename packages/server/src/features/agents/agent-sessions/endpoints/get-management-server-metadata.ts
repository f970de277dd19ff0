import { endpoint, reply } from '../../../../kernel/http/index.ts'
import { AuthorizationServerMetadata, serverMetadata } from '../metadata.ts'
import { managementIssuer } from '../token-issuer.ts'

export const getManagementServerMetadata = endpoint({
  id: 'getManagementServerMetadata',
  method: 'GET',
  path: '//.well-known/oauth-authorization-server/mcp/v1/manage',
  access: 'public',
  summary: 'Metadata of the authorization server of the MCP server for builders (RFC 8414).',
  description: 'Where and how MCP clients sign builders in.',
  tag: 'Agent sign-in',
  extension: true,
  reply: { 200: AuthorizationServerMetadata },
  run: async (_, { publicUrl }: { publicUrl: string }) => reply(200, serverMetadata(managementIssuer(publicUrl))),
})
