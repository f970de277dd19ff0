import { metadataEndpoint } from '../metadata-endpoint.ts'

export const getOpenIdConfigurationOfIssuer = metadataEndpoint({
  id: 'getOpenIdConfigurationOfIssuer',
  path: '//mcp/v1/projects/{projectIdOrName}/.well-known/openid-configuration',
  standard: 'OpenID Connect Discovery',
})
