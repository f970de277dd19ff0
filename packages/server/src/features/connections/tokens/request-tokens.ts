import type { ProviderEntry } from '@mortise/providers'
import type { Services } from '../../../services.ts'
import type { StoredToken } from '../credential.ts'

/** Who asks a token endpoint: a provider app, or what a connection itself brought. */
export interface TokenClient {
  clientId: string
  clientSecret: string
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

/** The provider refuses the grant (`invalid_grant`), the client or the request: asking again changes nothing. */
export class TokenRefused extends Error {
  override name = 'TokenRefused'
  /** The `error` of RFC 6749, 5.2, or `unusable_answer`. */
  readonly error: string
  constructor(error: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.error = error
  }
}

/** The provider cannot be reached, is overloaded or broken: asking again later may succeed. */
export class TokenUnavailable extends Error {
  override name = 'TokenUnavailable'
  readonly retryAfterMs: number | undefined
  constructor(message: string, { retryAfterMs, cause }: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}

/**
 * Asks the provider's token endpoint; one request, 10 s.
 *
 * @throws TokenRefused, TokenUnavailable; neither holds a secret
 */
export async function requestTokens(
  _services: Pick<Services, 'outbound' | 'now'>,
  _request: TokenRequest,
  _options: { signal?: AbortSignal } = {},
): Promise<TokenAnswer> {
  throw new TokenUnavailable('not built yet')
}
