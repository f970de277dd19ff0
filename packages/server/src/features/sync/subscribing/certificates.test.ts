import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import { type AddressInfo, isIP, type LookupFunction } from 'node:net'
import type { CertifiedVerification } from '@mortise/providers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signingCertificates as made } from '../../../../../providers/src/testing/signing-certificates.testkit.ts'
import { createAddressGuard, createOutbound, type Outbound, parseAllowedNetworks } from '../../../kernel/net/index.ts'
import { testCertificate } from '../../../kernel/net/test-certificate.ts'
import { createCertificates } from './certificates.ts'

const chain = `${made.leaf}\n${made.intermediate}`
let server: Server
let origin: string
let outbound: Outbound
const asked: string[] = []
/** What the host of the certificates responds, by path. */
const answers: Record<string, { status?: number; headers?: Record<string, string>; body: string | Buffer }> = {
  '/good': { body: chain },
  '/other': { body: `${made.otherName}\n${made.intermediate}` },
  '/expired': { body: `${made.expired}\n${made.intermediate}` },
  '/leaf': { body: made.leaf },
  '/html': { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Sign in</title>' },
  '/redirect': { status: 302, headers: { location: '/good' }, body: chain },
  '/missing': { status: 404, body: chain },
  '/large': { body: Buffer.concat([Buffer.from(`${chain}\n`), Buffer.alloc(10_000_000, 65)]) },
  '/broken': { status: 503, body: 'Come back later.' },
}

const lookup: LookupFunction = (_, __, callback) => {
  const address = '127.0.0.1'
  callback(null, [{ address, family: isIP(address) }])
}

beforeAll(async () => {
  server = createServer(testCertificate, ({ url = '' }, response) => {
    asked.push(url)
    // Anything else never ends.
    const answer = answers[url.split('?')[0] ?? '']
    if (answer) response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `https://name.example:${(server.address() as AddressInfo).port}`
  const guard = createAddressGuard({ allow: parseAllowedNetworks('127.0.0.1/32') })
  outbound = createOutbound({ guard, userAgent: 'mortise-test', lookup, ca: testCertificate.cert })
})
afterAll(async () => {
  await outbound.close()
  server.closeAllConnections()
  server.close()
})

const verify: CertifiedVerification = {
  by: 'publicKey',
  algorithm: 'rsaSha256',
  encoding: 'base64',
  header: 'X-Sig',
  key: {
    from: 'certificate',
    certificate: { at: 'header:X-Cert', hosts: ['name.example'], names: ['signer.hook.test'], chain: true },
  },
}
const request = (url: string) => ({
  method: 'POST',
  url: 'https://m.test/in',
  headers: { 'x-sig': 'AAAA', 'x-cert': url },
  body: Buffer.from('{}'),
})

function open(sender: Pick<Outbound, 'request'> = outbound, deadlineMs = 60_000) {
  let time = Date.parse('2026-01-02T00:00:00Z')
  asked.splice(0)
  const certificates = createCertificates(
    { outbound: sender, now: () => new Date(time) },
    { authorities: [made.root], deadlineMs },
  )
  return {
    keyFor: (url: string) => certificates.keyFor(verify, request(url)),
    advance: (ms: number) => {
      time += ms
    },
  }
}

it('a certificate is fetched once, for requests at the same time too, and again after a day', async () => {
  const { keyFor, advance } = open()
  const keys = await Promise.all([1, 2, 3].map(() => keyFor(`${origin}/good`)))
  expect(keys.map((key) => key?.asymmetricKeyType)).toEqual(['rsa', 'rsa', 'rsa'])
  expect(await keyFor(`${origin}/good#elsewhere`)).toBeDefined()
  expect(asked).toEqual(['/good'])
  advance(24 * 3_600_000 + 1)
  expect(await keyFor(`${origin}/good`)).toBeDefined()
  expect(asked).toEqual(['/good', '/good'])
})

it('what is no certificate of the provider verifies nothing, and is not fetched again right away', async () => {
  const { keyFor, advance } = open()
  const paths = ['/other', '/expired', '/leaf', '/html', '/redirect', '/missing', '/large']
  for (const path of [...paths, ...paths]) expect([path, await keyFor(`${origin}${path}`)]).toEqual([path, undefined])
  expect(asked).toEqual(paths)
  advance(60_001)
  expect(await keyFor(`${origin}/html`)).toBeUndefined()
  expect(asked).toHaveLength(paths.length + 1)
})

it('a URL elsewhere is not requested', async () => {
  const { keyFor } = open()
  for (const url of [
    'https://evil.example/good',
    origin.replace('https', 'http'),
    `${origin.replace('name.example', '127.0.0.1')}/good`,
    `https://name.example@127.0.0.1/good`,
    'not a url',
  ])
    expect(await keyFor(url)).toBeUndefined()
  expect(asked).toEqual([])
})

it('a host that hangs or fails is a reason to send the event again, not to accept it', async () => {
  await expect(open(outbound, 100).keyFor(`${origin}/hangs`)).rejects.toThrow('the certificate that it names')
  const { keyFor, advance } = open()
  for (let times = 0; times < 2; times++)
    await expect(keyFor(`${origin}/broken`)).rejects.toThrow('the certificate that it names')
  expect(asked.filter((path) => path === '/broken')).toHaveLength(1)
  advance(60_001)
  answers['/broken'] = { body: chain }
  expect(await keyFor(`${origin}/broken`)).toBeDefined()
  // The address guard applies, whatever the file allows.
  const guarded = createOutbound({
    guard: createAddressGuard({ allow: parseAllowedNetworks('10.0.0.0/8') }),
    userAgent: 'mortise-test',
    lookup,
  })
  await expect(open(guarded).keyFor(`${origin}/good`)).rejects.toThrow('the certificate that it names')
  expect(asked).toEqual([])
  await guarded.close()
})

it('thousands of URLs cost a few requests a minute, and certificates that are known stay', async () => {
  const { keyFor, advance } = open()
  expect(await keyFor(`${origin}/good`)).toBeDefined()
  const outcomes = await Promise.allSettled(
    Array.from({ length: 2_000 }, (_, index) => keyFor(`${origin}/missing?${index}`)),
  )
  expect(asked).toHaveLength(20)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2_000 - 19)
  expect(await keyFor(`${origin}/good`)).toBeDefined()
  advance(60_000)
  expect(await keyFor(`${origin}/missing?new`)).toBeUndefined()
  expect(asked).toHaveLength(21)
})
