import { backoffMs } from '../../../kernel/backoff.ts'
import { credentialExpiry, type StoredCredential, usableCredential } from '../credentials/index.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** The known lifetime of an access token. */
export interface TokenLife {
  /** False if there was never a token. */
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
 * Returns whether a token can be renewed: with a refresh token, with a machine grant, or as the provider's file says.
 */
export function isRenewable(stored: StoredCredential): boolean {
  if (stored.scheme === 'custom') return stored.token !== undefined
  return stored.scheme === 'oauth2' && (stored.refreshToken !== undefined || stored.grant !== undefined)
}

/** Assumed lifetime of a token whose issue time is unknown. */
const usualLifeMs = hourMs

/**
 * Returns whether a token must be renewed before use. The renewal window is the last minute before expiry, or the last
 * tenth of a shorter lifetime. In this window the token stays in use while it is renewed (`soon`). The last sixth of
 * the window is too short for a request, so callers wait for the renewal (`now`). A token that expires before it was
 * issued is a provider's mistake: it is used until it is refused.
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
 * Returns the delay after a temporary failure: 5 s, doubled each time, up to 15 minutes, and at least what the provider
 * requested.
 */
export function retryDelayMs(failures: number, random: number, askedMs = 0): number {
  const delayMs = backoffMs({ firstMs: 5 * secondMs, maxMs: 15 * minuteMs }, failures, random)
  return Math.max(delayMs, Math.min(askedMs, hourMs))
}

/** Returns the delay after a refusal that the app's owner can fix: 15 minutes, doubled each time, up to a day. */
export function refusedDelayMs(failures: number, random: number): number {
  return backoffMs({ firstMs: 15 * minuteMs, maxMs: 24 * hourMs }, failures, random)
}

/** Refusals that concern the app, not the customer's grant. After a fix, the same refresh token works again. */
const ofTheApp = new Set([
  'invalid_client',
  'unauthorized_client',
  'no_client',
  'no_endpoint',
  'host_not_allowed',
  'token_type_not_supported',
  'unknown_provider',
])

/**
 * Returns whether to retry the same credential after this refusal. A client of a machine grant, and one of Mortise, is
 * part of the credential.
 */
export function mayWorkLater(error: string, stored: StoredCredential): boolean {
  return ofTheApp.has(error) && !(stored.scheme === 'oauth2' && (stored.grant ?? stored.client) !== undefined)
}

const keepAliveHours = 24

/**
 * Returns when the background renews a token next, so that the refresh token stays in use (contract 7.4). This is a day
 * after the last renewal, or the interval of the provider's file, up to a tenth earlier: tokens issued together are not
 * renewed together. If the refresh token expires, it is at most half its remaining lifetime. Returns undefined without
 * a refresh token: machine grants are renewed on use.
 *
 * @param since when the tokens were last issued
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
