import { createHash, createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { Verification } from '../../catalogue/format/webhook-verification.ts'
import { loadCatalogue } from '../../catalogue/load-catalogue.ts'
import { testCache } from '../../testing/test-cache.testkit.ts'
import { verifyingKeys, verifyRequest } from './verify-request.ts'

const found = (await loadCatalogue({ cacheDir: testCache })).find('gong')?.file?.webhooks?.verify
if (found?.by !== 'jwt') throw new Error('Gong signs no tokens')
const gong: Verification = found

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()

const url = 'https://mortise.test/subscribe/v1/projects/p/integrations/i/installations/n'
const body = '{"callData":{"metaData":{"id":"1"}},"isTest":false}'
const now = 1_700_000_000
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const right = { webhook_url: url, body_sha256: sha256(body), exp: now + 60 }

const sign = (claims: JWTPayload = right, { key = pair.privateKey, alg = 'RS256', header = {} } = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg, ...header }).sign(key)

function verdict(
  token: string,
  { text = body, at = now, to = url, trusted = pem(pair.publicKey), verify = gong, scheme = 'Bearer ' } = {},
) {
  const request = { method: 'POST', url: to, headers: { authorization: `${scheme}${token}` }, body: Buffer.from(text) }
  return verifyRequest(verify, request, verifyingKeys(verify, trusted), at * 1_000)
}

describe('a signed token', () => {
  it.each(['Bearer ', 'bearer ', ''])('about the request itself is believed, with %j before it', async (scheme) => {
    expect(await verdict(await sign(), { scheme })).toBe('genuine')
  })

  it('is believed by whatever way the key is written, and among several keys', async () => {
    const token = await sign()
    const der = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    const ways = [
      der,
      der.replace(/(.{64})/g, '$1\r\n'),
      pem(pair.publicKey).replaceAll('\n', ' '),
      pair.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      `${pem(other.publicKey)}${pem(pair.publicKey)}`,
    ]
    for (const trusted of ways) expect(await verdict(token, { trusted })).toBe('genuine')
  })

  it('of another key is refused, even where it brings its own along', async () => {
    const key = other.privateKey
    expect(await verdict(await sign(right, { key }))).toBe('forged')
    const header = { jwk: other.publicKey.export({ format: 'jwk' }), jku: 'https://evil.test/keys' }
    expect(await verdict(await sign(right, { key, header }))).toBe('forged')
  })

  it('that says it is not signed, or signed otherwise, is refused', async () => {
    const unsigned = new UnsecuredJWT(right).encode()
    expect(await verdict(unsigned)).toBe('forged')
    const [, payload = ''] = (await sign()).split('.')
    for (const alg of ['none', 'None', 'RS256']) {
      const header = Buffer.from(JSON.stringify({ alg })).toString('base64url')
      expect(await verdict(`${header}.${payload}.`)).toBe('forged')
    }
    expect(await verdict(await sign(right, { alg: 'PS256' }))).toBe('forged')
    expect(await verdict(await sign(right, { alg: 'RS512' }))).toBe('forged')
  })

  it('whose shared secret is the public key is refused, in every form of the key', async () => {
    const der = pair.publicKey.export({ type: 'spki', format: 'der' })
    for (const secret of [pem(pair.publicKey), pem(pair.publicKey).trim(), der, der.toString('base64')]) {
      const head = Buffer.from('{"alg":"HS256"}').toString('base64url')
      const signed = `${head}.${Buffer.from(JSON.stringify(right)).toString('base64url')}`
      const mac = createHmac('sha256', secret).update(signed).digest('base64url')
      expect(await verdict(`${signed}.${mac}`)).toBe('forged')
    }
  })

  it('is stale once it ended, but for the clocks, and has to end at all', async () => {
    const token = await sign()
    expect(await verdict(token, { at: right.exp + 59 })).toBe('genuine')
    expect(await verdict(token, { at: right.exp + 61 })).toBe('stale')
    const { exp: _, ...endless } = right
    expect(await verdict(await sign(endless))).toBe('forged')
    expect(await verdict(await sign({ ...right, nbf: now + 3_600 }))).toBe('forged')
  })

  it('of another body, or of none, is refused', async () => {
    expect(await verdict(await sign(), { text: body.replace('"1"', '"2"') })).toBe('forged')
    expect(await verdict(await sign(), { text: '' })).toBe('forged')
    const { body_sha256: _, ...bodiless } = right
    expect(await verdict(await sign(bodiless))).toBe('forged')
    for (const told of ['', null, 1, [sha256(body)]])
      expect(await verdict(await sign({ ...right, body_sha256: told }))).toBe('forged')
  })

  it('of another URL, or of none, is refused', async () => {
    const token = await sign()
    for (const to of [`${url}2`, url.replace('/n', '/m'), `${url}?registration=1`, url.replace('https', 'http')])
      expect([to, await verdict(token, { to })]).toEqual([to, 'forged'])
    const { webhook_url: _, ...placeless } = right
    expect(await verdict(await sign(placeless))).toBe('forged')
    expect(await verdict(await sign({ ...right, webhook_url: 'no URL' }), { to: 'no URL' })).toBe('forged')
    // The same URL, written otherwise.
    expect(await verdict(await sign({ ...right, webhook_url: url.replace('mortise.test', 'Mortise.test:443') }))).toBe(
      'genuine',
    )
  })

  it('is not believed without a key that is worth it', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const written = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    for (const trusted of ['', ' ', 'no key', pem(weak.publicKey), pem(curve.publicKey), written])
      expect(await verdict(await sign(), { trusted })).toBe('forged')
  })

  it.each([
    ['nothing', ''],
    ['no token', 'abc'],
    ['two parts', 'a.b'],
    ['rubbish', '!.!.!'],
    ['empty parts', '..'],
    ['a megabyte', 'a'.repeat(1_000_000)],
  ])('that is %s is refused', async (_, token) => {
    expect(await verdict(token)).toBe('forged')
  })

  it('is looked for in the header alone', async () => {
    const request = { method: 'POST', url, headers: { 'x-token': await sign() }, body: Buffer.from(body) }
    expect(await verifyRequest(gong, request, verifyingKeys(gong, pem(pair.publicKey)), now * 1_000)).toBe('forged')
  })
})
