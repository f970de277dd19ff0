import type { StoredToken } from '../credentials/index.ts'

/** Maximum lifetime of a token. Longer ones are ignored as invalid. */
const longestLifeMs = 100 * 366 * 86_400_000

/**
 * Returns the tokens of a response with their known lifetimes. Providers send `expires_in` (seconds), or `expires_at`
 * (seconds or milliseconds since 1970, or RFC 3339). For the refresh token they send `refresh_token_expires_in`, or the
 * same under other names.
 *
 * @param issued when the request was sent. The lifetime starts a little later, so no token is used for too long
 */
export function tokensOf(
  answer: Record<string, unknown>,
  issued: Date,
): { accessToken: StoredToken; refreshToken?: StoredToken } {
  const refreshToken = answer['refresh_token']
  const refreshLife =
    answer['refresh_token_expires_in'] ?? answer['refresh_expires_in'] ?? answer['x_refresh_token_expires_in']
  return {
    accessToken: stored(String(answer['access_token']), issued, endOf(answer, issued)),
    ...(typeof refreshToken === 'string' && {
      refreshToken: stored(refreshToken, issued, afterSeconds(refreshLife, issued)),
    }),
  }
}

function stored(token: string, issued: Date, end: Date | undefined): StoredToken {
  return { token, issuedAt: issued.toISOString(), ...(end && { expiresAt: end.toISOString() }) }
}

function endOf(answer: Record<string, unknown>, issued: Date): Date | undefined {
  return afterSeconds(answer['expires_in'], issued) ?? instant(answer['expires_at'], issued)
}

function afterSeconds(life: unknown, issued: Date): Date | undefined {
  const ms = typeof life === 'number' || typeof life === 'string' ? Number(life) * 1000 : Number.NaN
  return ms > 0 && ms < longestLifeMs ? new Date(issued.getTime() + ms) : undefined
}

function instant(value: unknown, issued: Date): Date | undefined {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
  // 10^11 seconds is the year 5138; 10^11 milliseconds is 1973.
  const text = typeof value === 'string' ? value : ''
  const ms = Number.isNaN(number) ? Date.parse(text) : number < 1e11 ? number * 1000 : number
  return ms > issued.getTime() && ms - issued.getTime() < longestLifeMs ? new Date(ms) : undefined
}
