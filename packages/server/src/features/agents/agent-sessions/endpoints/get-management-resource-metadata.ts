import { endpoint, reply } from '../../../../kernel/http/index.ts'
import { ProtectedResourceMetadata, resourceMetadata } from '../metadata.ts'
import { managementIssuer } from '../token-issuer.ts'

export const getManagementResourceMetadata = endpoint({
  id: 'getManagementResourceMetadata',
  method: 'GET',
  path: '//.well-known/oauth-protected-resource/mcp/v1/manage',
  access: 'public',
  summary: 'Metadata of the MCP server for builders (RFC 9728).',
  description: 'Names the authorization server. A 401 of the MCP server has this address.',
  tag: 'Agent sign-in',
  extension: true,
  reply: { 200: ProtectedResourceMetadata },
  run: async (_, { publicUrl }: { publicUrl: string }) => {
    const issuer = managementIssuer(publicUrl)
    return reply(200, resourceMetadata(issuer, issuer.url))
  },
})
