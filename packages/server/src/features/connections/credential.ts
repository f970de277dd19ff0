import type { Credential } from '@mortise/providers'
import type { Envelope, SealedAt } from '../../kernel/seal/index.ts'

/** A token with what is known of its life. Times are RFC 3339. */
export interface StoredToken {
  token: string
  issuedAt?: string
  expiresAt?: string
}

/** A credential as it is kept, sealed: everything that a later refresh or an answer that was asked for needs. */
export type StoredCredential =
  | { scheme: 'none' }
  | { scheme: 'apiKey'; apiKey: string }
  | { scheme: 'basic'; username: string; password: string }
  | { scheme: 'oauth2'; accessToken: StoredToken; refreshToken?: StoredToken; scopes?: string[] }

/** What the connector sends. */
export function usableCredential(stored: StoredCredential): Credential {
  return stored.scheme === 'oauth2' ? { scheme: 'oauth2', accessToken: stored.accessToken.token } : stored
}

/** When the credential ends, where that is known. */
export function credentialExpiry(stored: StoredCredential): Date | undefined {
  const expiresAt = stored.scheme === 'oauth2' ? stored.accessToken.expiresAt : undefined
  const time = expiresAt === undefined ? Number.NaN : Date.parse(expiresAt)
  // RFC 3339 knows leap seconds, Date does not.
  return Number.isNaN(time) ? undefined : new Date(time)
}

function sealedAt(projectId: string, connectionId: string): SealedAt {
  return { table: 'connection_credentials', project: projectId, row: connectionId, column: 'sealed' }
}

export function sealCredential(
  envelope: Envelope,
  projectId: string,
  connectionId: string,
  credential: StoredCredential,
): string {
  return envelope.seal(JSON.stringify(credential), sealedAt(projectId, connectionId))
}

/** @throws UnknownSealKey, SealBroken */
export function openCredential(
  envelope: Envelope,
  projectId: string,
  connectionId: string,
  sealed: string,
): StoredCredential {
  return JSON.parse(envelope.open(sealed, sealedAt(projectId, connectionId)).toString()) as StoredCredential
}
