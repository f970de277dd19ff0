import { metadataEndpoint } from '../metadata-endpoint.ts'

export const getAuthorizationServerMetadata = metadataEndpoint({
  id: 'getAuthorizationServerMetadata',
  path: '//.well-known/oauth-authorization-server/mcp/v1/projects/{projectIdOrName}',
  standard: 'RFC 8414',
})
