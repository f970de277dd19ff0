import type { FetchLike } from '@modelcontextprotocol/client'
import { AuthorizationNotDiscovered } from './authorization-error.ts'
import { scopesIn } from './scopes.ts'

/** How a client authenticates at a token endpoint (RFC 6749, 2.3.1). */
export type ClientAuthenticationMethod = 'basic' | 'body' | 'none'

/** The authorization server of an MCP server, as its metadata describes it. */
export interface DiscoveredAuthorization {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  registrationEndpoint?: string
  /** What tokens are for (RFC 8707). */
  resource: string
  /** Scopes that the MCP server names: in its challenge, otherwise in its metadata. */
  scopes: string[]
  /** Whether refresh tokens need the scope `offline_access`. */
  hasOfflineAccess: boolean
  /** Whether each authorization response names the issuer (RFC 9207). */
  namesIssuer: boolean
  /** Whether the id of a client may be the address of its metadata document. */
  takesClientDocuments: boolean
  /** Methods of the token endpoint, if the server names any. */
  clientAuthentication?: ClientAuthenticationMethod[]
}

/** How the caller reaches the servers. Both throw AuthorizationNotDiscovered. */
export interface DiscoveryNetwork {
  /** Requests JSON. Follows no redirect. A response that is not JSON has status 404. */
  fetch: FetchLike
  /** Sends an MCP request without a credential. Returns the `WWW-Authenticate` of a 401. */
  challenge(url: URL): Promise<string | undefined>
  /** Returns whether the text of a URL is one that may be used. */
  isAllowed(url: URL): boolean
}

/**
 * Looks up the authorization server of an MCP server, by the section on authorization of the protocol: protected
 * resource metadata (RFC 9728), then metadata of the authorization server (RFC 8414 or OpenID Connect).
 *
 * @param issuer the only authorization server that is accepted
 * @throws AuthorizationNotDiscovered
 */
export async function discoverAuthorization(
  url: URL,
  network: DiscoveryNetwork,
  { issuer: only }: { issuer?: string | undefined } = {},
): Promise<DiscoveredAuthorization> {
  const library = await import('@modelcontextprotocol/client')
  const header = await network.challenge(url)
  const challenge = library.extractWWWAuthenticateParams(
    new Response(null, header === undefined ? {} : { headers: { 'www-authenticate': header } }),
  )
  const described = await resourceMetadata(library, url, challenge.resourceMetadataUrl, network)
  const resource = described?.resource ?? (url.pathname === '/' && url.search === '' ? url.origin : url.href)
  if (!library.checkResourceAllowed({ requestedResource: url, configuredResource: resource }))
    throw unusable('The metadata of the MCP server is about another server.')
  // Servers of the first revisions have no metadata, and are their own authorization servers.
  const issuer = checkedIssuer(described?.authorization_servers?.[0] ?? url.origin, network)
  const server = await serverMetadata(library, issuer, network)
  if (only !== undefined && server.issuer !== only)
    throw unusable('The MCP server names another authorization server than the provider file.')
  const { registration_endpoint: registration, token_endpoint_auth_methods_supported: methods } = server
  const named = scopesIn(challenge.scope?.split(' '))
  return {
    issuer: server.issuer,
    authorizationEndpoint: checkedEndpoint(server.authorization_endpoint, network),
    tokenEndpoint: checkedEndpoint(server.token_endpoint, network),
    ...(registration !== undefined && { registrationEndpoint: checkedEndpoint(registration, network) }),
    resource,
    scopes: named.length > 0 ? named : scopesIn(described?.scopes_supported),
    hasOfflineAccess: server.scopes_supported?.includes('offline_access') === true,
    namesIssuer: server['authorization_response_iss_parameter_supported'] === true,
    takesClientDocuments: server['client_id_metadata_document_supported'] === true,
    ...(methods && { clientAuthentication: methods.flatMap((method) => knownMethods.get(method) ?? []) }),
  }
}

type Library = typeof import('@modelcontextprotocol/client')

const knownMethods = new Map<string, ClientAuthenticationMethod>([
  ['client_secret_basic', 'basic'],
  ['client_secret_post', 'body'],
  ['none', 'none'],
])

/** @param named the address in the challenge. Otherwise, the well-known addresses are tried */
async function resourceMetadata(library: Library, url: URL, named: URL | undefined, network: DiscoveryNetwork) {
  if (named && !network.isAllowed(named))
    throw unusable('The MCP server names an address for its metadata that is not a public https URL.')
  const statuses: number[] = []
  const fetch: FetchLike = async (...request) => {
    const response = await network.fetch(...request)
    statuses.push(response.status)
    return response
  }
  try {
    return await library.discoverOAuthProtectedResourceMetadata(url, named && { resourceMetadataUrl: named }, fetch)
  } catch (cause) {
    if (cause instanceof AuthorizationNotDiscovered) throw cause
    const isAbsent = statuses.length > 0 && statuses.every((status) => status >= 400)
    if (named === undefined && isAbsent) return undefined
    throw unusable('The MCP server has no valid metadata about its authorization.', { cause })
  }
}

/** An issuer is a URL without query and fragment (RFC 8414, 2). */
function checkedIssuer(text: string, network: DiscoveryNetwork): string {
  const url = URL.parse(text)
  if (url === null || text.length > 500 || url.search !== '' || url.hash !== '' || !network.isAllowed(url))
    throw unusable('The MCP server names an authorization server that is not at a public https URL.')
  return text
}

async function serverMetadata(library: Library, issuer: string, network: DiscoveryNetwork) {
  const server = await library
    .discoverAuthorizationServerMetadata(issuer, { fetchFn: network.fetch })
    .catch((cause: unknown) => {
      if (cause instanceof AuthorizationNotDiscovered) throw cause
      if (cause instanceof library.IssuerMismatchError)
        throw unusable('The metadata of the authorization server names another issuer.', { cause })
      throw unusable('The authorization server of the MCP server has no valid metadata.', { cause })
    })
  if (server === undefined) throw unusable('The authorization server of the MCP server publishes no metadata.')
  const { grant_types_supported: grants, response_types_supported: responses } = server
  if (!responses.includes('code') || grants?.includes('authorization_code') === false)
    throw unusable('The authorization server of the MCP server does not offer authorization in a browser.')
  if (server.code_challenge_methods_supported?.includes('S256') !== true)
    throw unusable('The authorization server of the MCP server does not offer PKCE with S256.')
  return server as typeof server & Record<string, unknown>
}

function checkedEndpoint(text: string, network: DiscoveryNetwork): string {
  const url = URL.parse(text)
  if (url === null || text.length > 2_000 || url.hash !== '' || !network.isAllowed(url))
    throw unusable('The authorization server of the MCP server names an endpoint that is not a public https URL.')
  return url.href
}

function unusable(message: string, options?: ErrorOptions): AuthorizationNotDiscovered {
  return new AuthorizationNotDiscovered('unusable', message, options)
}
