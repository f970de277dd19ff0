import { describe, expect, it, test } from 'vitest'
import type { StoredCredential } from '../credentials/index.ts'
import { keepAliveAt, mayWorkLater, renewalNeed, retryDelayMs, tokenLife } from './renewal-rules.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const at = (seconds: number) => new Date(start + seconds * 1_000)

describe('a token', () => {
  it.each([
    // Life and seconds until its end.
    [3_600, 61, 'none'],
    [3_600, 60, 'soon'],
    [3_600, 11, 'soon'],
    [3_600, 10, 'now'],
    [3_600, -5, 'now'],
    [60, 7, 'none'],
    [60, 6, 'soon'],
    [60, 1, 'now'],
    // The provider’s mistake: it would be renewed at every use.
    [0, -10, 'none'],
    [-5, -10, 'none'],
  ] as const)('of %i s that ends in %i s: %s', (life, left, need) => {
    expect(renewalNeed({ exists: true, issuedAt: at(-life), expiresAt: at(0) }, at(-left))).toBe(need)
  })

  it('without a known end is good until it is refused, and one that is not there is had first', () => {
    expect(renewalNeed({ exists: true, issuedAt: undefined, expiresAt: undefined }, at(0))).toBe('none')
    expect(renewalNeed(tokenLife({ scheme: 'oauth2', refreshToken: { token: 'r' } }), at(0))).toBe('now')
    expect(renewalNeed(tokenLife({ scheme: 'apiKey', apiKey: 'k' }), at(0))).toBe('none')
    expect(renewalNeed({ exists: true, issuedAt: undefined, expiresAt: at(30) }, at(0))).toBe('soon')
  })
})

test('a failed renewal waits longer each time, and as long as the provider asks, within limits', () => {
  const delays = [0, 1, 2, 50].map((failures) => retryDelayMs(failures, 0.5))
  expect(delays).toEqual([5_000, 10_000, 20_000, 900_000])
  expect(retryDelayMs(0, 0.5, 60_000)).toBe(60_000)
  expect(retryDelayMs(0, 0.5, 10 ** 9)).toBe(3_600_000)
})

test('what the owner of the app can cure may work later, unless the client is the connection’s own', () => {
  const granted: StoredCredential = { scheme: 'oauth2', refreshToken: { token: 'r' } }
  const own: StoredCredential = {
    scheme: 'oauth2',
    grant: { kind: 'clientCredentials', clientId: 'c', clientSecret: 's' },
  }
  expect([mayWorkLater('invalid_client', granted), mayWorkLater('invalid_grant', granted)]).toEqual([true, false])
  expect(mayWorkLater('invalid_client', own)).toBe(false)
})

test('the background renews a day later at most, up to a tenth earlier, and before half of the refresh token is over', () => {
  const stored = (expiresAt?: string): StoredCredential => ({
    scheme: 'oauth2',
    refreshToken: { token: 'r', ...(expiresAt !== undefined && { expiresAt }) },
  })
  const hours = (credential: StoredCredential, random: number, everyHours?: number) =>
    ((keepAliveAt(credential, { since: at(0), random, everyHours })?.getTime() ?? Number.NaN) - start) / 3_600_000
  expect([hours(stored(), 0), hours(stored(), 1), hours(stored(), 0, 8)]).toEqual([24, 21.6, 8])
  expect(hours(stored('2026-01-01T10:00:00Z'), 0)).toBe(5)
  expect(keepAliveAt({ scheme: 'oauth2' }, { since: at(0), random: 0 })).toBeUndefined()
})
