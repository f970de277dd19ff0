import type { ProviderEntry } from '@mortise/providers'
import type { AuthorizationServer, OwnClient, StoredToken } from '../credentials/index.ts'

/** The client of a token request: a provider app, or the client of a machine grant. */
export interface TokenClient {
  clientId: string
  /** Empty for a public client. */
  clientSecret: string
  /**
   * Hosts that a provider app may be used at, in addition to those of the provider's file. Absent for a customer's own
   * client.
   */
  allowedHosts?: readonly string[]
  /** How it authenticates, if that was agreed when it was registered. */
  authentication?: ClientAuthentication
}

/** How a client says who it is (RFC 6749, 2.3.1). */
export type ClientAuthentication = 'basic' | 'body' | 'none'

/** Returns a client of Mortise as a token endpoint knows it. */
export function clientOfOwn(client: OwnClient): TokenClient {
  const { clientId } = client
  if (client.kind === 'document') return { clientId, clientSecret: '', authentication: 'none' }
  return { clientId, clientSecret: client.clientSecret, authentication: client.authentication }
}

/** The grant of a token request (RFC 6749). */
export type TokenGrant =
  | { kind: 'authorizationCode'; code: string; redirectUri: string; verifier?: string }
  | { kind: 'refresh'; refreshToken: string; scopes?: readonly string[] }
  | { kind: 'clientCredentials'; scopes?: readonly string[] }
  | { kind: 'password'; username: string; password: string; scopes?: readonly string[] }

export interface TokenRequest {
  entry: ProviderEntry
  /** Metadata values of the connection by name. They fill the token URL. */
  metadata: Record<string, string>
  workspaceRef?: string
  client: TokenClient
  /** The authorization server, if it was looked up. */
  server?: AuthorizationServer
  grant: TokenGrant
}

/** A token response in normalized form. */
export interface TokenAnswer {
  accessToken: StoredToken
  /** If absent, the old one stays valid (RFC 6749, 6). */
  refreshToken?: StoredToken
  /** As granted; absent if the provider does not say. */
  scopes?: string[]
  workspaceRef?: string
  consumerRef?: string
  /** Further values of the response that the provider's file names. */
  metadata: Record<string, { value: string; source: 'token'; displayName?: string }>
}
