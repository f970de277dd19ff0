import type { FetchLike, OAuthClientMetadata } from '@modelcontextprotocol/client'
import { AuthorizationNotDiscovered } from './authorization-error.ts'
import type { ClientAuthenticationMethod, DiscoveredAuthorization } from './discover-authorization.ts'

export interface RegisteredClient {
  clientId: string
  clientSecret?: string
  authentication: ClientAuthenticationMethod
  /** When the secret expires. */
  expiresAt?: Date
}

const methodNames = { basic: 'client_secret_basic', body: 'client_secret_post', none: 'none' } as const

/** Returns what Mortise tells authorization servers about itself (RFC 7591, 2). */
export function clientMetadata(
  { name, redirectUri, homepage }: { name: string; redirectUri: string; homepage: string },
  authentication: ClientAuthenticationMethod,
) {
  return {
    client_name: name,
    client_uri: homepage,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
    token_endpoint_auth_method: methodNames[authentication],
  } satisfies OAuthClientMetadata
}

/**
 * Registers a client (RFC 7591): with a secret if the server takes one.
 *
 * @throws AuthorizationNotDiscovered
 */
export async function registerClient(
  server: DiscoveredAuthorization,
  about: Parameters<typeof clientMetadata>[0],
  fetch: FetchLike,
): Promise<RegisteredClient> {
  const { registrationEndpoint, clientAuthentication: methods = ['basic'] } = server
  if (registrationEndpoint === undefined) throw refused()
  const asked = (['basic', 'body', 'none'] as const).find((method) => methods.includes(method))
  if (asked === undefined) throw refused()
  const library = await import('@modelcontextprotocol/client')
  const registered = await library
    .registerClient(server.issuer, {
      metadata: {
        issuer: server.issuer,
        authorization_endpoint: server.authorizationEndpoint,
        token_endpoint: server.tokenEndpoint,
        registration_endpoint: registrationEndpoint,
        response_types_supported: ['code'],
      },
      clientMetadata: clientMetadata(about, asked),
      fetchFn: fetch,
    })
    .catch((cause: unknown) => {
      if (cause instanceof AuthorizationNotDiscovered) throw cause
      throw refused({ cause })
    })
  const { client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: method } = registered
  const { client_secret_expires_at: expires } = registered
  if (clientId === '' || !isText(clientId, 2_000) || (clientSecret !== undefined && !isText(clientSecret, 5_000)))
    throw refused()
  const answered = (['basic', 'body', 'none'] as const).find((one) => methodNames[one] === method) ?? asked
  return {
    clientId,
    ...(clientSecret !== undefined && clientSecret !== '' && { clientSecret }),
    authentication: clientSecret ? (answered === 'none' ? 'basic' : answered) : 'none',
    ...(expires !== undefined && expires > 0 && expires < 1e11 && { expiresAt: new Date(expires * 1_000) }),
  }
}

/** RFC 6749, appendix A: printable ASCII. */
function isText(value: string, charactersMax: number): boolean {
  return value.length <= charactersMax && /^[\x20-\x7e]*$/.test(value)
}

function refused(options?: ErrorOptions): AuthorizationNotDiscovered {
  return new AuthorizationNotDiscovered(
    'unusable',
    'The authorization server of the MCP server did not register this application.',
    options,
  )
}
