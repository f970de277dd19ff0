import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { CustomAuthRefused } from './custom-auth-refused.ts'
import { signAssertion } from './sign-assertion.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const now = Date.parse('2026-03-01T12:00:00Z')
const pemOf = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1' = 'pkcs8') =>
  key.export({ type, format: 'pem' } as { type: 'pkcs8'; format: 'pem' }).toString()
const sign = (algorithm: 'RS256' | 'PS256' | 'ES256', key: string, more = {}) =>
  signAssertion(
    {
      algorithm,
      key: '{{key}}',
      keyId: '{{kid}}',
      claims: { iss: '{{who}}', aud: ['a', '{{absent}}'], none: '{{absent}}' },
      ...more,
    },
    (name) => ({ key, kid: 'k-1', who: 'ada' })[name],
    now,
  )

describe('what is signed', () => {
  it.each([
    ['RS256', rsa, pemOf(rsa.privateKey)],
    ['PS256', rsa, pemOf(rsa.privateKey, 'pkcs1')],
    ['ES256', ec, pemOf(ec.privateKey, 'sec1')],
    ['RS256', rsa, Buffer.from(pemOf(rsa.privateKey)).toString('base64')],
    ['RS256', rsa, pemOf(rsa.privateKey).replaceAll('\n', '\\n')],
  ] as const)('%s is verified with the public key', async (algorithm, { publicKey }, key) => {
    const { payload, protectedHeader } = await jwtVerify(await sign(algorithm, key), publicKey, {
      currentDate: new Date(now),
    })
    const iat = now / 1000
    expect(payload).toEqual({ iss: 'ada', aud: ['a'], iat, exp: iat + 300 })
    expect(protectedHeader).toEqual({ alg: algorithm, typ: 'JWT', kid: 'k-1' })
  })

  it('lives as long as declared', async () => {
    const token = await sign('RS256', pemOf(rsa.privateKey), { lifetimeSeconds: 60 })
    const late = { currentDate: new Date(now + 61_000) }
    await expect(jwtVerify(token, rsa.publicKey, late)).rejects.toThrow('exp')
  })
})

it.each([
  ['nothing', 'RS256', ''],
  ['no key', 'RS256', 'hello'],
  ['a public key', 'RS256', rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
  ['a key of another kind', 'RS256', pemOf(ec.privateKey)],
  ['a key of another kind, too', 'ES256', pemOf(rsa.privateKey)],
  [
    'a curve that the algorithm does not have',
    'ES256',
    pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey),
  ],
  ['a key that is too short', 'PS256', pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)],
] as const)('%s is refused, and not repeated', async (_, algorithm, key) => {
  const error = await sign(algorithm, key).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CustomAuthRefused)
  expect(error).toMatchObject({ error: 'unusable_key' })
  if (key !== '') expect(String(error)).not.toContain(key.slice(0, 20))
})
