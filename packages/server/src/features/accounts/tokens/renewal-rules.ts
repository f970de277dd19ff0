import { backoffMs } from '../../../kernel/backoff.ts'
import { credentialExpiry, type StoredCredential, usableCredential } from '../credentials/index.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** What is known of the life of an access token. */
export interface TokenLife {
  /** False where no token was ever had. */
  exists: boolean
  issuedAt: Date | undefined
  expiresAt: Date | undefined
}

export function tokenLife(stored: StoredCredential): TokenLife {
  const issuedAt =
    stored.scheme === 'custom' ? stored.token?.issuedAt : stored.scheme === 'oauth2' && stored.accessToken?.issuedAt
  const issued = new Date(issuedAt || Number.NaN)
  return {
    exists: usableCredential(stored) !== undefined,
    issuedAt: Number.isNaN(issued.getTime()) ? undefined : issued,
    expiresAt: credentialExpiry(stored),
  }
}

/**
 * Whether a token can be renewed: with a refresh token, with a grant that needs no person, or as the provider's file
 * says.
 */
export function isRenewable(stored: StoredCredential): boolean {
  if (stored.scheme === 'custom') return stored.token !== undefined
  return stored.scheme === 'oauth2' && (stored.refreshToken !== undefined || stored.grant !== undefined)
}

/** Where nobody says how long a token lives. */
const usualLifeMs = hourMs

/**
 * Whether a token has to be renewed before it is used. From a minute before its end (of one that lives shorter, a tenth
 * of its life) it is renewed beside those who still use it (`soon`); in the last sixth of that time, too short for a
 * request, whoever wants it waits (`now`). A token whose end was told to be before its beginning is a provider's
 * mistake, and lives until it is refused.
 */
export function renewalNeed({ exists, issuedAt, expiresAt }: TokenLife, now: Date): 'none' | 'soon' | 'now' {
  if (!exists) return 'now'
  if (expiresAt === undefined) return 'none'
  const lifeMs = issuedAt ? expiresAt.getTime() - issuedAt.getTime() : usualLifeMs
  if (lifeMs <= 0) return 'none'
  const aheadMs = Math.min(minuteMs, lifeMs / 10)
  const leftMs = expiresAt.getTime() - now.getTime()
  if (leftMs > aheadMs) return 'none'
  return leftMs > aheadMs / 6 ? 'soon' : 'now'
}

/**
 * After a renewal that failed for the time being: from 5 s, doubled each time, up to a quarter of an hour, and not
 * before the provider asks to.
 */
export function retryDelayMs(failures: number, random: number, askedMs = 0): number {
  const delayMs = backoffMs({ firstMs: 5 * secondMs, maxMs: 15 * minuteMs }, failures, random)
  return Math.max(delayMs, Math.min(askedMs, hourMs))
}

/** After a refusal that the owner of the app can cure: from a quarter of an hour, doubled each time, up to a day. */
export function refusedDelayMs(failures: number, random: number): number {
  return backoffMs({ firstMs: 15 * minuteMs, maxMs: 24 * hourMs }, failures, random)
}

/**
 * Refusals that concern the app, not what the customer granted: once it is put right, the same refresh token works
 * again.
 */
const ofTheApp = new Set([
  'invalid_client',
  'unauthorized_client',
  'no_client',
  'no_endpoint',
  'host_not_allowed',
  'unknown_provider',
])

/**
 * Whether the same credential may be tried again after this refusal. A client that the connection brought itself is
 * part of the credential.
 */
export function mayWorkLater(error: string, stored: StoredCredential): boolean {
  return ofTheApp.has(error) && !(stored.scheme === 'oauth2' && stored.grant !== undefined)
}

const keepAliveHours = 24

/**
 * When the background renews a token next, so that the refresh token stays in use (contract 7.4): a day after the last
 * time, or as often as the provider's file says, up to a tenth earlier so that what was made together is not renewed
 * together; half way to the end of the refresh token where that comes first. Undefined where no refresh token has to be
 * kept alive: what needs no person is renewed when it is used.
 *
 * @param since when the tokens were last had
 */
export function keepAliveAt(
  stored: StoredCredential,
  { since, random, everyHours = keepAliveHours }: { since: Date; random: number; everyHours?: number | undefined },
): Date | undefined {
  if (stored.scheme !== 'oauth2' || stored.refreshToken === undefined) return undefined
  const everyMs = everyHours * hourMs * (1 - random / 10)
  const endsAt = Date.parse(stored.refreshToken.expiresAt ?? '')
  const halfMs = Number.isNaN(endsAt) ? Number.POSITIVE_INFINITY : Math.max(minuteMs, (endsAt - since.getTime()) / 2)
  return new Date(since.getTime() + Math.min(everyMs, halfMs))
}
