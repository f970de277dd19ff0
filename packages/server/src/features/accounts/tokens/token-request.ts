import type { ProviderEntry } from '@mortise/providers'
import type { StoredToken } from '../credentials/index.ts'

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
