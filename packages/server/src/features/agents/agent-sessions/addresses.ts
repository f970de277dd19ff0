/** Addresses of the sign-in to the MCP server of a project. */

/** Returns the path that follows a well-known prefix (RFC 8414, 3.1; RFC 9728, 3.1). */
const pathOf = (project: string) => `/mcp/v1/projects/${project}`

/** Returns the address of the MCP server: the resource of tokens (RFC 8707). */
export function mcpUrl(publicUrl: string, project: string): string {
  return `${publicUrl}${pathOf(project)}`
}

/** Returns the issuer of a project. It has the id, so that it stays when the project gets another name. */
export function issuerOf(publicUrl: string, { id }: { id: string }): string {
  return mcpUrl(publicUrl, id)
}

/** Returns an address of the authorization server. */
export function oauthUrl(
  publicUrl: string,
  project: { id: string },
  name: 'authorize' | 'continue' | 'token' | 'register' | 'revoke',
): string {
  return `${issuerOf(publicUrl, project)}/oauth/${name}`
}

/** Returns the address of the metadata that a 401 names. */
export function resourceMetadataUrl(publicUrl: string, project: string): string {
  return `${publicUrl}/.well-known/oauth-protected-resource${pathOf(project)}`
}

/** Returns whether a text names the MCP server of the project, by its id or its name. */
export function isMcpUrl(publicUrl: string, project: { id: string; name: string }, text: string): boolean {
  const url = text.length <= 2_000 ? URL.parse(text) : null
  if (!url || text.includes('#') || url.search !== '') return false
  const named = url.href.toLowerCase().replace(/\/$/, '')
  return [project.id, project.name].some((one) => named === mcpUrl(publicUrl, one).toLowerCase())
}
