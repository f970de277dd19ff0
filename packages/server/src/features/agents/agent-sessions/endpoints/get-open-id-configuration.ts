import { metadataEndpoint } from '../metadata-endpoint.ts'

export const getOpenIdConfiguration = metadataEndpoint({
  id: 'getOpenIdConfiguration',
  path: '//.well-known/openid-configuration/mcp/v1/projects/{projectIdOrName}',
  standard: 'OpenID Connect Discovery, with the path at the end',
})
