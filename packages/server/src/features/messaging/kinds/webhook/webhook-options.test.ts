import { createPrivateKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { testCertificate } from '../../../../kernel/net/test-certificate.ts'
import { openForTest, testMessages } from '../conformance.testkit.ts'
import { startHttpTarget, type TargetAnswer, type TargetRequest } from '../http-target.testkit.ts'
import type { DestinationKind } from '../kind.ts'
import { webhook } from './index.ts'

const kind = webhook as DestinationKind
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function open(answer: (request: TargetRequest) => TargetAnswer, options: (port: number) => object) {
  const target = await startHttpTarget({
    settings: (port) => ({ url: `http://127.0.0.1:${port}/hook`, ...options(port) }),
    secret: 'unused',
    answer,
  })
  const opened = openForTest(kind, target.settings)
  closing.push(opened.close, () => target.stop())
  return { ...opened, settings: target.settings }
}

const read = (input: object) => {
  const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
  return kind.readSettings({ url: 'https://example.com/hook', ...input }, 'metadata', { guard })
}
/** An RSA key of 8,192 bits. Its numbers are random, because a real one takes seconds. */
function longKey() {
  const number = (bytes: number) => Buffer.from([0xff, ...randomBytes(bytes - 2), 1]).toString('base64url')
  const [p, q, dp, dq, qi] = [number(512), number(512), number(512), number(512), number(512)]
  const key = { kty: 'RSA', e: 'AQAB', n: number(1_024), d: number(1_024), p, q, dp, dq, qi }
  return createPrivateKey({ format: 'jwk', key }).export({ type: 'pkcs8', format: 'pem' }).toString()
}
const namesOf = (input: object) => read(input).issues.map(({ name }) => name)

describe('bodyTemplate', () => {
  const received: TargetRequest[] = []
  const accept = (request: TargetRequest) => {
    received.push(request)
    return { status: 204 }
  }
  afterEach(() => void received.splice(0))
  const [message] = testMessages('hello') as [ReturnType<typeof testMessages>[number]]

  it('makes the body, which the signature covers', async () => {
    const bodyTemplate = "{content: text, from: 'Mortise', list: [text, other], fallback: not_null(other, `7`)}"
    const { send, secret, settings } = await open(accept, () => ({ bodyTemplate }))
    expect(await send([message])).toMatchObject([{ outcome: 'delivered' }])
    const body = { content: 'hello', from: 'Mortise', list: ['hello', null], fallback: 7 }
    const { headers, body: sent } = received[0] ?? { headers: {}, body: '' }
    expect(new Webhook(secret).verify(sent, headers)).toEqual(body)
    expect(JSON.parse(kind.bodyOf?.(settings, message.body).toString() ?? '')).toEqual(body)
  })

  it.each(['other.field', 'constructor'])('that makes nothing of a message sends the message: %s', async (text) => {
    const { send } = await open(accept, () => ({ bodyTemplate: text }))
    expect(await send([message])).toMatchObject([{ outcome: 'delivered' }])
    expect(received[0]?.body.toString()).toBe('{"text":"hello"}')
  })

  it('that makes more than 1 MiB is not sent', async () => {
    const { send, settings } = await open(accept, () => ({ bodyTemplate: `[${Array(12).fill('text').join()}]` }))
    const large = { ...message, body: Buffer.from(JSON.stringify({ text: 'x'.repeat(100_000) })) }
    expect(await send([large])).toMatchObject([{ outcome: 'refused', error: expect.stringContaining('1 MiB') }])
    // As large, but not by the length of its texts.
    const escaped = { ...message, body: Buffer.from(JSON.stringify({ text: '"'.repeat(50_000) })) }
    expect(await send([escaped])).toMatchObject([{ outcome: 'refused', error: expect.stringContaining('1 MiB') }])
    expect(received).toEqual([])
    expect(kind.bodyOf?.(settings, large.body)).toBe(large.body)
  })

  it.each([
    'result[*].id',
    'max(result)',
    'a | b',
    '{a: b[?c]}',
    '[[a[]]]',
    'map(&a, b)',
    '{a',
    'x'.repeat(1_001),
    `[${Array(65).fill('text').join()}]`,
    'join(text, result)',
    `{a: ${'to_string(['.repeat(3)}text${'])'.repeat(3)}}`,
  ])('is refused where its result could be much larger than the message: %s', (bodyTemplate) => {
    expect(namesOf({ bodyTemplate })).toEqual(['metadata.bodyTemplate'])
  })
})

describe('OAuth', () => {
  const secret = 'client-s3cret:/ä'
  const settings = (port: number) => ({
    tokenUrl: `http://127.0.0.1:${port}/token`,
    clientId: 'mortise client',
    clientSecret: secret,
    scope: 'hooks:write',
    audience: 'crm',
  })
  /** A receiver that takes the newest token, and an authorization server. */
  function receiver(token: (count: number, request: TargetRequest) => TargetAnswer = issued) {
    const asked: TargetRequest[] = []
    const state = { refused: '' }
    const answer = (request: TargetRequest): TargetAnswer => {
      if (request.path === '/token') {
        asked.push(request)
        return token(asked.length, request)
      }
      const authorization = request.headers['authorization'] ?? ''
      if (!/^Bearer token-\d$/.test(authorization) || authorization === state.refused)
        return { status: 401, body: `${authorization} is not accepted.` }
      return { status: 204 }
    }
    return { asked, answer, state }
  }
  const json = (status: number, body: object) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const issued = (count: number) =>
    json(200, { access_token: `token-${count}`, token_type: 'Bearer', expires_in: 3_600 })

  it('asks for a token once, with the credentials of the client, and sends it', async () => {
    const { asked, answer } = receiver()
    const { send } = await open(answer, settings)
    for (const text of ['one', 'two']) expect(await send(testMessages(text))).toMatchObject([{ outcome: 'delivered' }])
    expect(asked).toHaveLength(1)
    const basic = Buffer.from(asked[0]?.headers['authorization']?.slice('Basic '.length) ?? '', 'base64').toString()
    const decoded = basic.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
    expect(decoded).toEqual(['mortise client', secret])
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body.toString()))).toEqual({
      grant_type: 'client_credentials',
      scope: 'hooks:write',
      audience: 'crm',
    })
  })

  it('gives the credentials in the body where the settings say so', async () => {
    const { asked, answer } = receiver()
    const { send } = await open(answer, (port) => ({ ...settings(port), clientAuthentication: 'body' }))
    expect(await send(testMessages('one'))).toMatchObject([{ outcome: 'delivered' }])
    expect(asked[0]?.headers['authorization']).toBeUndefined()
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body.toString()))).toMatchObject({
      client_id: 'mortise client',
      client_secret: secret,
    })
  })

  it('renews a token that is refused once, and shows none', async () => {
    const { asked, answer, state } = receiver()
    const { send } = await open(answer, settings)
    await send(testMessages('one'))
    state.refused = 'Bearer token-1'
    expect(await send(testMessages('two'))).toMatchObject([{ outcome: 'delivered' }])
    expect(asked).toHaveLength(2)
    state.refused = 'Bearer token-2'
    const { answer: never } = receiver((count) => json(200, { access_token: `secret${count}`, token_type: 'bearer' }))
    const other = await open(never, settings)
    const [result] = await other.send(testMessages('three'))
    expect(result).toMatchObject({ outcome: 'retry', status: 401 })
    expect(result?.response?.toString()).not.toMatch(/secret\d/)
  })

  it.each<[string, TargetAnswer, string]>([
    ['refuses the client', json(401, { error: 'invalid_client', error_description: secret }), 'gave no access token'],
    ['refuses the scope', json(400, { error: 'invalid_scope' }), '(invalid_scope)'],
    [
      'answers with HTML',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      'gave no access token',
    ],
    ['answers with nothing', { status: 200 }, 'gave no access token'],
    ['has another kind of token', json(200, { access_token: 'a', token_type: 5 }), 'of another type'],
    [
      'has a token that needs a proof',
      json(200, { access_token: 'a', token_type: 'DPoP' }),
      'gave an access token of the type DPoP, and Mortise sends only Bearer tokens.',
    ],
    [
      'repeats the secret as the type of the token',
      json(200, { access_token: 'a', token_type: 'client-s3cret' }),
      'of another type',
    ],
    [
      'has a token of two lines',
      json(200, { access_token: 'a\r\nb: c', token_type: 'bearer' }),
      'gave no access token',
    ],
    [
      'has a token of 20 KB',
      json(200, { access_token: 'a'.repeat(20_000), token_type: 'bearer' }),
      'gave no access token',
    ],
    ['redirects', { status: 302, headers: { location: '/hook' } }, 'gave no access token'],
  ])('tries again later when the token endpoint %s', async (_, answered, error) => {
    const { answer } = receiver(() => answered)
    const { send } = await open(answer, settings)
    const [result] = await send(testMessages('one'))
    expect(result).toEqual({ outcome: 'retry', error: expect.stringContaining(error) })
    expect(result?.error).not.toContain(secret)
  })

  it.each([undefined, 'BEARER'])('sends a token of type %s as Bearer', async (token_type) => {
    const { answer } = receiver((count) => json(200, { access_token: `token-${count}`, token_type }))
    const { send } = await open(answer, settings)
    expect(await send(testMessages('one'))).toMatchObject([{ outcome: 'delivered' }])
  })

  it('does not show a secret that comes back as the code of an error', async () => {
    const clientSecret = 'correct_horse_battery_staple'
    const { answer } = receiver(() => json(400, { error: clientSecret }))
    const { send } = await open(answer, (port) => ({ ...settings(port), clientSecret }))
    const [result] = await send(testMessages('one'))
    expect(result).toEqual({ outcome: 'retry', error: expect.stringMatching(/ gave no access token\.$/) })
  })

  it('needs all of its settings, and the header for itself', () => {
    expect(namesOf({ scope: 'a' })).toEqual(['tokenUrl', 'clientId', 'clientSecret'].map((name) => `metadata.${name}`))
    const whole = { tokenUrl: 'https://example.com/token', clientId: 'a', clientSecret: 'b' }
    expect(namesOf(whole)).toEqual([])
    expect(namesOf({ ...whole, headers: { authorization: 'Basic x' } })).toEqual(['metadata.tokenUrl'])
    expect(namesOf({ ...whole, tokenUrl: 'http://10.1.2.3/token', clientAuthentication: 'jwt' })).toEqual([
      'metadata.tokenUrl',
      'metadata.clientAuthentication',
    ])
    const { settings: read_ } = read(whole)
    expect(kind.secretsOf(read_)).toContain('b')
  })
})

it('knows the credentials in headers, with and without their scheme', () => {
  const basic = Buffer.from('user:pass: word').toString('base64')
  const headers = { authorization: 'Bearer token-1', other: `Basic ${basic}`, more: 'Token', text: 'three short words' }
  const secrets = kind.secretsOf(read({ headers }).settings)
  for (const secret of [
    'Bearer token-1',
    'token-1',
    `Basic ${basic}`,
    basic,
    'pass: word',
    'Token',
    'three short words',
  ])
    expect(secrets).toContain(secret)
})

describe('certificates', () => {
  async function start(options: ServerOptions) {
    const subjects: unknown[] = []
    const server = createServer({ ...testCertificate, ...options }, (request, response) => {
      subjects.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN)
      request.resume().on('end', () => response.writeHead(204).end())
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    closing.push(async () => {
      server.closeAllConnections()
      server.close()
    })
    return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, subjects }
  }
  const client = { clientCertificate: testCertificate.cert, clientKey: testCertificate.key }
  const openAt = (settings: object) => {
    const opened = openForTest(kind, settings)
    closing.unshift(opened.close)
    return opened
  }

  it('are shown to a server that asks for one', async () => {
    const { url, subjects } = await start({ requestCert: true, rejectUnauthorized: true, ca: testCertificate.cert })
    const { send } = openAt({ url, caCertificate: testCertificate.cert, ...client })
    expect(await send(testMessages('one'))).toMatchObject([{ outcome: 'delivered' }])
    expect(subjects).toEqual(['mortise test'])
    const without = openAt({ url, caCertificate: testCertificate.cert })
    await expect(without.send(testMessages('two'))).rejects.toThrow()
    expect(subjects).toHaveLength(1)
  })

  it('of the server are checked against the authority of the settings, and against the public ones without', async () => {
    const { url, subjects } = await start({})
    await expect(openAt({ url }).send(testMessages('one'))).rejects.toThrow()
    expect(await openAt({ url, caCertificate: testCertificate.cert }).send(testMessages('two'))).toMatchObject([
      { outcome: 'delivered' },
    ])
    expect(subjects).toHaveLength(1)
  })

  it('are checked when they are set', () => {
    const { clientCertificate, clientKey } = client
    expect(namesOf(client)).toEqual([])
    expect(namesOf({ clientCertificate })).toEqual(['metadata.clientKey'])
    expect(namesOf({ clientKey })).toEqual(['metadata.clientCertificate'])
    expect(namesOf({ clientCertificate: 'x', clientKey: 'y', caCertificate: 5 })).toEqual(
      ['clientCertificate', 'clientKey', 'caCertificate'].map((name) => `metadata.${name}`),
    )
    const nonsense = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    expect(namesOf({ caCertificate: nonsense, clientCertificate: nonsense, clientKey })).toEqual([
      'metadata.clientCertificate',
      'metadata.caCertificate',
    ])
    expect(namesOf({ clientCertificate, clientKey: longKey() })).toEqual([
      'metadata.clientCertificate',
      'metadata.clientKey',
    ])
    expect(namesOf({ ...client, url: 'http://127.0.0.1:9000/' })).toEqual(['metadata.clientCertificate'])
    expect(kind.secretsOf(read(client).settings)).toContain(clientKey)
  })
})
