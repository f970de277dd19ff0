/** Addresses of the sign-in to MCP servers. */

/** Path of the MCP server for builders. */
export const managementPath = '/mcp/v1/manage'

/** Returns the address of the MCP server of a project. */
export function mcpUrl(publicUrl: string, project: string): string {
  return `${publicUrl}/mcp/v1/projects/${project}`
}

/** Returns the issuer of a project. It has the id, so that it stays when the project gets another name. */
export function issuerOf(publicUrl: string, { id }: { id: string }): string {
  return mcpUrl(publicUrl, id)
}

/** Returns an address of the authorization server. */
export function oauthUrl(
  issuer: { url: string },
  name: 'authorize' | 'continue' | 'token' | 'register' | 'revoke',
): string {
  return `${issuer.url}/oauth/${name}`
}

/**
 * Returns the address of the metadata that a 401 names: the path of the MCP server follows a well-known prefix (RFC
 * 9728, 3.1).
 */
export function resourceMetadataUrl(publicUrl: string, mcp: string): string {
  return `${publicUrl}/.well-known/oauth-protected-resource${mcp.slice(publicUrl.length)}`
}

/** Returns whether a text names the MCP server of an issuer. */
export function isResourceOf({ resources }: { resources: readonly string[] }, text: string): boolean {
  const url = text.length <= 2_000 ? URL.parse(text) : null
  if (!url || text.includes('#') || url.search !== '') return false
  const named = url.href.toLowerCase().replace(/\/$/, '')
  return resources.some((one) => named === one.toLowerCase())
}
