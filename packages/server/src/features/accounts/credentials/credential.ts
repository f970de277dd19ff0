import type { Credential } from '@mortise/providers'
import type { EncryptedAt, Envelope } from '../../../kernel/encryption/index.ts'
import type { AuthorizationServer, OwnClient } from './authorization-server.ts'

/** A token with its known lifetime. Times are RFC 3339. */
export interface StoredToken {
  token: string
  issuedAt?: string
  expiresAt?: string
}

export interface OAuth2Credential {
  scheme: 'oauth2'
  /** Either token may be missing: a refresh token or a grant alone waits for the first renewal. */
  accessToken?: StoredToken
  refreshToken?: StoredToken
  /** Scopes as granted. */
  scopes?: string[]
  /** The machine grant that the service gets tokens with; absent if a person granted access (authorization code). */
  grant?: MachineGrant
  /** The authorization server, if the provider file does not name it. */
  server?: AuthorizationServer
  /** The client that the tokens were issued to. Absent for a provider app. */
  client?: OwnClient
}

/** A grant that needs no person (RFC 6749, 4.3 and 4.4), with its client and the scopes to request. */
export type MachineGrant =
  | { kind: 'clientCredentials'; clientId: string; clientSecret: string; scopes?: string[] }
  | {
      kind: 'password'
      username: string
      password: string
      clientId: string
      clientSecret: string
      scopes?: string[]
    }

export interface CustomCredential {
  scheme: 'custom'
  /** The customer's inputs, and the values that multi-step authentication returned. Token requests use them. */
  values: Record<string, unknown>
  /**
   * Present if requests send values that a token request returns: empty until then, and requested again with `values`
   * when they expire.
   */
  token?: {
    values?: Record<string, string>
    /** Cookies of the token requests, as text; absent if the provider file keeps none. */
    cookies?: string
    issuedAt?: string
    expiresAt?: string
  }
}

/** A credential as it is stored, encrypted: everything that requests and later renewals need. */
export type StoredCredential =
  | { scheme: 'none' }
  | { scheme: 'apiKey'; apiKey: string }
  | { scheme: 'basic'; username: string; password: string }
  | OAuth2Credential
  | CustomCredential

/** Returns what the connector sends; undefined if it needs a token first. */
export function usableCredential(stored: StoredCredential): Credential | undefined {
  if (stored.scheme === 'custom') {
    const { values, token } = stored
    if (token !== undefined && token.values === undefined) return undefined
    const cookies = token?.cookies
    return { scheme: 'custom', values: { ...values, ...token?.values }, ...(cookies !== undefined && { cookies }) }
  }
  if (stored.scheme !== 'oauth2') return stored
  return stored.accessToken && { scheme: 'oauth2', accessToken: stored.accessToken.token }
}

/** Returns whether the credential needs a new access token: it has none, or it has expired. */
export function needsRenewal(stored: StoredCredential, now: Date): boolean {
  const expiry = credentialExpiry(stored)
  return usableCredential(stored) === undefined || (expiry !== undefined && expiry <= now)
}

/** Returns when the credential expires, if known. */
export function credentialExpiry(stored: StoredCredential): Date | undefined {
  const expiresAt = expiresAtOf(stored)
  const time = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt)
  // RFC 3339 allows leap seconds, `Date` does not.
  return Number.isNaN(time) ? undefined : new Date(time)
}

function expiresAtOf(stored: StoredCredential): string | undefined {
  if (stored.scheme === 'custom') return stored.token?.expiresAt
  return stored.scheme === 'oauth2' ? stored.accessToken?.expiresAt : undefined
}

function encryptedAt(projectId: string, connectionId: string): EncryptedAt {
  return { table: 'connection_credentials', project: projectId, row: connectionId, column: 'encrypted' }
}

export function encryptCredential(
  envelope: Envelope,
  projectId: string,
  connectionId: string,
  credential: StoredCredential,
): string {
  return envelope.encrypt(JSON.stringify(credential), encryptedAt(projectId, connectionId))
}

/** @throws UnknownEncryptionKey, DecryptionFailed */
export function openCredential(
  envelope: Envelope,
  projectId: string,
  connectionId: string,
  encrypted: string,
): StoredCredential {
  return JSON.parse(envelope.open(encrypted, encryptedAt(projectId, connectionId)).toString()) as StoredCredential
}
