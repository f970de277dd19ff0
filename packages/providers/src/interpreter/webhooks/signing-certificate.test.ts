import { sign } from 'node:crypto'
import { expect, it } from 'vitest'
import type { CertifiedVerification } from '../../catalogue/format/webhook-verification.ts'
import { signingCertificates as made } from '../../testing/signing-certificates.testkit.ts'
import { certificateUrl, certifiedKey, isCertified } from './signing-certificate.ts'
import { verifyRequest } from './verify-request.ts'

const certificate = {
  at: 'header:X-Cert',
  hosts: ['certs.hook.test', '*.keys.hook.test'],
  names: ['signer.hook.test'],
  chain: true,
}
const verify: CertifiedVerification = {
  by: 'publicKey',
  algorithm: 'rsaSha256',
  encoding: 'base64',
  header: 'X-Sig',
  signedText: '{{registration}}|{{bodyCrc32}}',
  key: {
    from: 'certificate',
    certificate,
  },
}
const now = Date.parse('2026-01-02T00:00:00Z')
const request = (url: string, more = {}) => ({
  method: 'POST',
  url: 'https://m.test/in',
  headers: { 'x-sig': 'AAAA', 'x-cert': url, ...more },
  body: Buffer.from('{}'),
})
const keyOf = (pem: string, { at = now, roots = [made.root], names = ['signer.hook.test'], chain = true } = {}) => {
  const changed = { ...verify, key: { ...verify.key, certificate: { ...certificate, names, chain } } }
  return certifiedKey(changed, pem, at, roots)?.key
}

it('only https on a host of the file is a place for a certificate', () => {
  expect(isCertified(verify)).toBe(true)
  const of = (url: string, more = {}) => certificateUrl(verify, request(url, more))
  expect(of('https://certs.hook.test/a?b=1#c')).toBe('https://certs.hook.test/a?b=1')
  expect(of('https://eu.keys.hook.test/a')).toBe('https://eu.keys.hook.test/a')
  for (const url of [
    '',
    'certs.hook.test/a',
    'http://certs.hook.test/a',
    'https://hook.test/a',
    'https://keys.hook.test/a',
    'https://certs.hook.test.evil.test/a',
    'https://evil.test/certs.hook.test',
    'https://evil.test#certs.hook.test',
    'https://certs.hook.test@evil.test/a',
    'https://user:password@certs.hook.test/a',
    'https://127.0.0.1/a',
    'file:///etc/passwd',
    `https://certs.hook.test/${'a'.repeat(2_000)}`,
  ])
    expect(of(url)).toBeUndefined()
  expect(of('https://certs.hook.test/a', { 'x-sig': undefined })).toBeUndefined()
})

it('a certificate counts while it is valid, for its name, and under a trusted authority', () => {
  const chain = [made.leaf, made.intermediate].join('\n')
  expect(keyOf(chain)?.asymmetricKeyType).toBe('rsa')
  expect(certifiedKey(verify, chain, now, [made.root])?.until).toBe(Date.parse('2099-12-31T00:00:00Z'))
  expect(keyOf(`${chain}\n${made.root}`)).toBeDefined()
  expect(keyOf(made.leaf, { chain: false })).toBeDefined()
  for (const pem of [
    '',
    '<html>No certificate</html>',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
    made.leaf,
    [made.leaf, made.root].join('\n'),
    [made.otherName, made.intermediate].join('\n'),
    [made.expired, made.intermediate].join('\n'),
    [made.intermediate, made.leaf].join('\n'),
  ])
    expect(keyOf(pem)).toBeUndefined()
  expect(keyOf(chain, { at: Date.parse('2100-01-01T00:00:00Z') })).toBeUndefined()
  expect(keyOf(chain, { at: Date.parse('2019-01-01T00:00:00Z') })).toBeUndefined()
  expect(keyOf(chain, { names: ['hook.test'] })).toBeUndefined()
  // A certificate is no authority.
  for (const roots of [[], [made.leaf]]) expect(keyOf(chain, { roots })).toBeUndefined()
})

it('the signature covers the id of the registration and the checksum of the body', async () => {
  const body = Buffer.from('123456789')
  // The check value of CRC-32.
  const signature = sign('sha256', Buffer.from(`WH-1|${0xcbf43926}`), made.key).toString('base64')
  const keys = [keyOf(made.leaf, { chain: false })].flatMap((key) => key ?? [])
  const verdict = (more: object) =>
    verifyRequest(verify, { ...request('', { 'x-sig': signature }), body, ...more }, keys, now)
  expect(await verdict({ registration: 'WH-1' })).toBe('genuine')
  for (const more of [{ registration: 'WH-2' }, {}, { registration: 'WH-1', body: Buffer.from('123456780') }])
    expect(await verdict(more)).toBe('forged')
})
