import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signUrl, verifySignedUrl } from './signed-url.ts'

const key = randomBytes(32)
const expiresAt = new Date('2030-01-01T00:00:00Z')
const now = new Date('2029-12-31T23:00:00Z')
const baseUrl = 'https://mortise.example/prefix/'
const claims = { method: 'PUT', md5: 'abc+/==' }
const signed = signUrl({ key, baseUrl, path: '/v1/uploads/u1', expiresAt, claims })
/** Path and query as the service sees them behind the proxy's prefix. */
const arrived = signed.slice('https://mortise.example/prefix'.length)
const verify = (url: string, keys = [key], at = now) => verifySignedUrl({ keys, url, now: at })

describe('a signed URL', () => {
  test('is one, and verifies with its claims and expiry', () => {
    expect(URL.canParse(signed)).toBe(true)
    expect(verify(arrived)).toEqual({ ok: true, claims, expiresAt })
  })
  test('verifies under an older key that is retained, and under no other', () => {
    expect(verify(arrived, [randomBytes(32), key]).ok).toBe(true)
    expect(verify(arrived, [randomBytes(32)])).toEqual({ ok: false, refusal: 'bad_signature' })
  })
  test('expires at its second', () => {
    expect(verify(arrived, [key], new Date(expiresAt.getTime() - 1)).ok).toBe(true)
    expect(verify(arrived, [key], expiresAt)).toEqual({ ok: false, refusal: 'expired' })
  })
  test('no character of it can be changed, dropped or doubled', () => {
    for (let at = 0; at < arrived.length; at++) {
      const [before, here, after] = [arrived.slice(0, at), arrived[at], arrived.slice(at + 1)]
      for (const other of [here === 'A' ? 'B' : 'A', '', `${here}${here}`]) {
        // "&&" reads as "&": the query is the same, and so is its meaning.
        if (other === '&&') continue
        expect([before + other + after, verify(before + other + after).ok]).toEqual([before + other + after, false])
      }
    }
  })
  test('a second value of a signed parameter is refused', () => {
    expect(verify(`${arrived}&expires=9999999999`)).toEqual({ ok: false, refusal: 'malformed' })
    expect(verify(`${arrived}&claims=e30`)).toEqual({ ok: false, refusal: 'malformed' })
  })
  test('whatever arrives, there is an answer', () => {
    fc.assert(fc.property(fc.string(), (text) => !verify(text).ok && !verify(`/v1?${text}`).ok))
    expect(verify('/v1?expires=1&claims=%ff&signature=%ff')).toEqual({ ok: false, refusal: 'malformed' })
  })
  test('a path with a query or a line feed cannot be signed', () => {
    for (const path of ['/a?b', '/a#b', 'a', '/a\nb']) {
      expect(() => signUrl({ key, baseUrl, path, expiresAt })).toThrow(TypeError)
    }
  })
})
