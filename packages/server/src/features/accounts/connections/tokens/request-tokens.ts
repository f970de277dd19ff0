import { clientUrl, HostNotAllowed, InvalidInputs, type ProviderEntry, providerUrl } from '@mortise/providers'
import type { Services } from '../../../../services.ts'
import type { StoredToken } from '../credential.ts'
import { askTokenEndpoint } from './ask-token-endpoint.ts'
import { withClientAuthentication } from './client-authentication.ts'
import { oauth2Scheme } from './oauth2-scheme.ts'
import { scopesToAsk } from './scopes-to-ask.ts'
import { TokenRefused } from './token-errors.ts'
import { tokenMetadata } from './token-metadata.ts'
import { tokensOf } from './token-times.ts'

export { TokenRefused, TokenUnavailable } from './token-errors.ts'

/** Who asks a token endpoint: a provider app, or what a connection itself brought. */
export interface TokenClient {
  clientId: string
  /** Empty for a public client, which has none. */
  clientSecret: string
  /**
   * Of a provider app: hosts that it may be used at besides those of the provider's file. Absent for a client of the
   * customer's own.
   */
  allowedHosts?: readonly string[]
}

/** What is asked for (RFC 6749). */
export type TokenGrant =
  | { kind: 'authorizationCode'; code: string; redirectUri: string; verifier?: string }
  | { kind: 'refresh'; refreshToken: string; scopes?: readonly string[] }
  | { kind: 'clientCredentials'; scopes?: readonly string[] }
  | { kind: 'password'; username: string; password: string; scopes?: readonly string[] }

export interface TokenRequest {
  entry: ProviderEntry
  /** Values of the connection's metadata, by name; fill the token URL. */
  metadata: Record<string, string>
  workspaceRef?: string
  client: TokenClient
  grant: TokenGrant
}

/** What came back, in our words. */
export interface TokenAnswer {
  accessToken: StoredToken
  /** Absent where none was sent: the old one stays good (RFC 6749, 6). */
  refreshToken?: StoredToken
  /** As granted; absent where the provider does not say. */
  scopes?: string[]
  workspaceRef?: string
  consumerRef?: string
  /** Further values of the answer that the provider's file names. */
  metadata: Record<string, { value: string; source: 'token'; displayName?: string }>
}

/**
 * Asks the provider's token endpoint; 10 s and 1 MB at most an answer. One request, or a second one where it has to be
 * found out how the client authenticates.
 *
 * @throws TokenRefused, TokenUnavailable; neither holds a secret
 */
export async function requestTokens(
  services: Pick<Services, 'outbound' | 'now'>,
  request: TokenRequest,
  { signal, project }: { signal?: AbortSignal; project?: string } = {},
): Promise<TokenAnswer> {
  const { entry, client } = request
  const scheme = oauth2Scheme(entry)
  if (!scheme?.tokenUrl)
    throw new TokenRefused('no_endpoint', `The provider file of ${entry.displayName} has no token endpoint.`)
  const exchange = filled(request, scheme.tokenUrl)
  const issued = services.now()
  const answer = await withClientAuthentication(services.outbound, entry, client, (clientAuthentication) =>
    askTokenEndpoint(services, { entry, client, clientAuthentication, ...exchange, project }, signal),
  )
  return { ...tokensOf(answer, issued), ...tokenMetadata(scheme, answer) }
}

const grantTypes = {
  authorizationCode: 'authorization_code',
  refresh: 'refresh_token',
  clientCredentials: 'client_credentials',
  password: 'password',
} as const

function filled(request: TokenRequest, tokenUrl: string) {
  const { entry, client, grant } = request
  try {
    return {
      // A secret of the builder's goes to no host that a customer chose; a customer's own goes where that customer
      // says.
      endpoint: client.allowedHosts
        ? clientUrl(entry, tokenUrl, request, client.allowedHosts)
        : providerUrl(entry, tokenUrl, request),
      grantType: grantTypes[grant.kind],
      ...parametersOf(request),
    }
  } catch (cause) {
    if (!(cause instanceof InvalidInputs)) throw cause
    if (cause instanceof HostNotAllowed) throw new TokenRefused('host_not_allowed', cause.message, { cause })
    const names = cause.issues.map(({ name }) => name).join(', ')
    throw new TokenRefused(
      'invalid_inputs',
      `The values of the connection make no token URL of ${entry.displayName}: ${names}.`,
      { cause },
    )
  }

  function parametersOf(asked: TokenRequest) {
    const secrets = [client.clientSecret]
    switch (grant.kind) {
      case 'authorizationCode': {
        const { code, redirectUri, verifier } = grant
        const parameters = { code, redirect_uri: redirectUri, ...(verifier && { code_verifier: verifier }) }
        return { parameters, secrets: [...secrets, code, verifier ?? ''] }
      }
      case 'refresh':
        return {
          parameters: { refresh_token: grant.refreshToken, ...scopeParameter(asked, grant.scopes) },
          secrets: [...secrets, grant.refreshToken],
        }
      case 'clientCredentials':
        return { parameters: { ...audience(asked), ...scopeParameter(asked, grant.scopes) }, secrets }
      case 'password': {
        const { username, password, scopes } = grant
        const parameters = { username, password, ...audience(asked), ...scopeParameter(asked, scopes) }
        return { parameters, secrets: [...secrets, password] }
      }
    }
  }
}

function scopeParameter(request: TokenRequest, scopes: readonly string[] = []): { scope?: string } {
  return scopes.length === 0 ? {} : { scope: scopesToAsk(request.entry, scopes, request).join(' ') }
}

/** Which resource the token is for, where the provider wants to be told. */
function audience({ entry }: TokenRequest): { audience?: string } {
  const names = oauth2Scheme(entry)?.audience ?? []
  return names.length === 0 ? {} : { audience: names.join(' ') }
}
