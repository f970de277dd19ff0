import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadCatalogue, type ProviderEntry } from '@mortise/providers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAddressGuard, createOutbound, type Outbound, parseAllowedNetworks } from '../../../kernel/net/index.ts'
import {
  type AuthorizationServer,
  authorizationClients,
  authorizationProvider,
  startAuthorizationServer,
} from '../../../testkit/authorization-server.ts'
import { type OAuth2Scheme, oauth2Scheme } from './oauth2-scheme.ts'
import { requestTokens } from './request-tokens.ts'
import { TokenRefused, TokenUnavailable } from './token-errors.ts'
import type { TokenGrant, TokenRequest } from './token-request.ts'

const redirectUri = 'http://127.0.0.1:1/callback'
const issued = new Date('2026-03-01T12:00:00.000Z')
const inSeconds = (seconds: number) => new Date(issued.getTime() + seconds * 1000).toISOString()

let server: AuthorizationServer
let outbound: Outbound
let acme: ProviderEntry
let asked = 0

beforeAll(async () => {
  server = await startAuthorizationServer({ redirectUris: [redirectUri] })
  const dir = await mkdtemp(join(tmpdir(), 'mortise-tokens-'))
  await writeFile(join(dir, 'acme.yaml'), authorizationProvider(server, 'acme', 'authorizationCode'))
  acme = (await loadCatalogue({ providerDirs: [dir], cacheDir: process.env['MORTISE_CACHE_DIR'] ?? '' })).find('acme')!
  await rm(dir, { recursive: true })
  const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
  outbound = createOutbound({ guard, userAgent: 'test' })
})
afterAll(async () => {
  await outbound?.close()
  await server?.close()
})
afterEach(() => {
  server.answerTokens(undefined)
  server.tokenRequests.length = 0
})

/** A provider of its own for each call, so that nothing is remembered from another test. */
function entryOf(changes: Partial<OAuth2Scheme> = {}): ProviderEntry {
  const name = `acme${++asked}`
  return { ...acme, name, displayName: name, authentication: [{ ...oauth2Scheme(acme)!, ...changes }] }
}

const client = (id: keyof typeof authorizationClients) => ({ clientId: id, clientSecret: authorizationClients[id] })

function ask(entry: ProviderEntry, grant: TokenGrant, more: Partial<TokenRequest> = {}, options = {}) {
  const request = { entry, metadata: {}, client: client('basic'), grant, ...more }
  return requestTokens({ outbound, now: () => issued }, request, options)
}

describe('at a certified server', () => {
  test.each(['basic', 'body'] as const)('a client that authenticates by %s alone gets tokens', async (id) => {
    const entry = entryOf()
    const grant: TokenGrant = { kind: 'clientCredentials', scopes: ['contacts.read'] }
    const answer = await ask(entry, grant, { client: client(id) })
    expect(answer).toEqual({
      accessToken: { token: expect.any(String), issuedAt: issued.toISOString(), expiresAt: inSeconds(3_600) },
      scopes: ['contacts.read'],
      metadata: {},
    })
    const before = server.tokenRequests.length
    expect(before).toBe(id === 'basic' ? 1 : 2)
    await ask(entry, grant, { client: client(id) })
    expect(server.tokenRequests.length, 'what worked is remembered').toBe(before + 1)
  })

  test('a file that says how clients authenticate is believed', async () => {
    await ask(entryOf({ clientAuthentication: 'body' }), { kind: 'clientCredentials' }, { client: client('body') })
    expect(server.tokenRequests).toHaveLength(1)
    expect(server.tokenRequests[0]).toMatchObject({ authorization: undefined, parameters: { client_id: 'body' } })
  })

  test('a code is exchanged once, with its verifier', async () => {
    const entry = entryOf()
    const verifier = 'v'.repeat(43)
    const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url')
    const url = new URL(`${server.origin}/auth`)
    url.search = new URLSearchParams({
      client_id: 'basic',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid offline_access contacts.read',
      prompt: 'consent',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }).toString()
    const code = (await server.authorize(url)).searchParams.get('code') ?? ''
    const grant: TokenGrant = { kind: 'authorizationCode', code, redirectUri, verifier }
    const answer = await ask(entry, grant)
    expect(answer.refreshToken?.token).toEqual(expect.any(String))
    expect(answer.scopes).toContain('contacts.read')
    await expect(ask(entry, grant)).rejects.toMatchObject({ name: 'TokenRefused', error: 'invalid_grant' })
  })

  test('a refresh token is replaced each time, and is good once', async () => {
    const entry = entryOf()
    const first = await server.issue()
    const second = await ask(entry, { kind: 'refresh', refreshToken: first.refreshToken })
    const third = await ask(entry, { kind: 'refresh', refreshToken: second.refreshToken!.token })
    expect(new Set([first.refreshToken, second.refreshToken?.token, third.refreshToken?.token]).size).toBe(3)
    await expect(ask(entry, { kind: 'refresh', refreshToken: first.refreshToken })).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test('a refresh token that was taken back is refused', async () => {
    const { refreshToken } = await server.issue()
    await server.revoke(refreshToken)
    await expect(ask(entryOf(), { kind: 'refresh', refreshToken })).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    expect(server.tokenRequests, 'nobody asks again where the grant is not good').toHaveLength(1)
  })

  test('a user name and password get tokens', async () => {
    server.people.set('ann', 'swordfish')
    const entry = entryOf()
    const grant: TokenGrant = { kind: 'password', username: 'ann', password: 'swordfish', scopes: ['offline_access'] }
    expect((await ask(entry, grant)).refreshToken).toBeDefined()
    await expect(ask(entry, { ...grant, password: 'wrong' })).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('a wrong secret is refused', async () => {
    const wrong = { clientId: 'basic', clientSecret: 'wrong' }
    await expect(ask(entryOf(), { kind: 'clientCredentials' }, { client: wrong })).rejects.toMatchObject({
      error: 'invalid_client',
    })
  })
})

/** What the token endpoint answers from now on. */
function answers(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
) {
  server.answerTokens((_, response) => {
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
    response.end(isText ? body : JSON.stringify(body))
  })
}

const refresh: TokenGrant = { kind: 'refresh', refreshToken: 'the-refresh-token' }
const form = { headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' } }

describe('answers that differ from the standard', () => {
  const token = (expiresAt?: string) => ({
    token: 'at',
    issuedAt: issued.toISOString(),
    ...(expiresAt && { expiresAt }),
  })

  test.each<[string, unknown, object, object?]>([
    ['no type, no end', { access_token: 'at' }, { accessToken: token() }],
    ['a number as text', { access_token: 'at', expires_in: '60' }, { accessToken: token(inSeconds(60)) }],
    ['zero seconds: no end is known', { access_token: 'at', expires_in: 0 }, { accessToken: token() }],
    [
      'an instant in seconds',
      { access_token: 'at', expires_at: issued.getTime() / 1000 + 60 },
      { accessToken: token(inSeconds(60)) },
    ],
    [
      'an instant in milliseconds',
      { access_token: 'at', expires_at: `${issued.getTime() + 60_000}` },
      { accessToken: token(inSeconds(60)) },
    ],
    [
      'an instant in words',
      { access_token: 'at', expires_at: '2026-03-01T12:01:00Z' },
      { accessToken: token(inSeconds(60)) },
    ],
    ['an instant that is none', { access_token: 'at', expires_at: 1e300 }, { accessToken: token() }],
    ['a type of its own', { access_token: 'at', token_type: 'BearerToken' }, { accessToken: token() }],
    ['an id token that nobody asked for', { access_token: 'at', id_token: 'x.y.z' }, { accessToken: token() }],
    ['null where there is nothing', { access_token: 'at', refresh_token: null, scope: null }, { accessToken: token() }],
    ['status 201', { access_token: 'at' }, { accessToken: token() }, { status: 201 }],
    [
      'the end of the refresh token',
      { access_token: 'at', refresh_token: 'rt', refresh_token_expires_in: 90 },
      {
        accessToken: token(),
        refreshToken: { token: 'rt', issuedAt: issued.toISOString(), expiresAt: inSeconds(90) },
      },
    ],
    ['scopes with commas', { access_token: 'at', scope: 'a,b, c' }, { accessToken: token(), scopes: ['a', 'b', 'c'] }],
    ['scopes as a list', { access_token: 'at', scope: ['a', 'b'] }, { accessToken: token(), scopes: ['a', 'b'] }],
    ['a form', 'access_token=at&scope=a%2Cb&token_type=bearer', { accessToken: token(), scopes: ['a', 'b'] }, form],
    ['JSON that is called HTML', '{"access_token":"at"}', { accessToken: token() }],
    ['names of the prototype', '{"access_token":"at","__proto__":{"scope":"evil"}}', { accessToken: token() }],
  ])('%s', async (_, body, expected, options) => {
    answers(body, options)
    expect(await ask(entryOf(), refresh)).toEqual({ metadata: {}, ...expected })
  })

  test('what the file wants kept is kept', async () => {
    answers({
      access_token: 'at',
      granted: ['a', 'b'],
      instance_url: 'https://acme.my.example.com',
      owner: { user: { id: 7 } },
      region: { code: 'eu' },
      odd: { is: 'an object' },
    })
    const tokenMetadataFields = {
      workspaceRef: { path: 'instance_url', capture: String.raw`^https://(?<result>[^.]+)\.my\.example\.com$` },
      consumerRef: 'owner.user.id',
      scopes: 'granted',
      others: [
        { name: 'region', displayName: 'Region', path: 'region.code' },
        { name: 'nothing', path: 'not.there' },
        { name: 'odd', path: 'odd' },
        { name: 'unmatched', path: 'region.code', capture: '^(?<result>us)$' },
      ],
    }
    expect(await ask(entryOf({ tokenMetadataFields }), refresh)).toMatchObject({
      workspaceRef: 'acme',
      consumerRef: '7',
      scopes: ['a', 'b'],
      metadata: { region: { value: 'eu', source: 'token', displayName: 'Region' } },
    })
  })

  test('a code is exchanged with the parameters of the file, which replace none of the exchange', async () => {
    answers({ access_token: 'at' })
    const entry = entryOf({ tokenParams: { expiring: '1', code: 'other' } })
    await ask(entry, { kind: 'authorizationCode', code: 'the-code', redirectUri })
    await ask(entry, refresh)
    const [exchange, renewal] = server.tokenRequests.map(({ parameters }) => parameters)
    expect(exchange).toMatchObject({ expiring: '1', code: 'the-code' })
    expect(renewal).not.toHaveProperty('expiring')
  })

  test('every token is for the resource of the file', async () => {
    answers({ access_token: 'at' })
    const entry = entryOf({
      resource: 'https://mcp.example.com/mcp',
      tokenParams: { resource: 'https://other.example' },
    })
    await ask(entry, { kind: 'authorizationCode', code: 'the-code', redirectUri })
    await ask(entry, refresh)
    await ask(entry, { kind: 'clientCredentials' })
    expect(server.tokenRequests.map(({ parameters }) => parameters['resource'])).toEqual(
      Array(3).fill('https://mcp.example.com/mcp'),
    )
  })

  test('scopes and audience are sent as the file has them', async () => {
    answers({ access_token: 'at' })
    const entry = entryOf({
      audience: ['https://api.example.com/'],
      scopeMappings: { '.default': 'https://{{workspace}}.example.com/.default' },
    })
    await ask(entry, { kind: 'clientCredentials', scopes: ['.default', 'x'] }, { workspaceRef: 'acme' })
    expect(server.tokenRequests[0]?.parameters).toMatchObject({
      audience: 'https://api.example.com/',
      scope: 'https://acme.example.com/.default x',
    })
  })
})

describe('refusals', () => {
  test.each<[string, unknown, string, object?]>([
    [
      'of RFC 6749',
      { error: 'invalid_grant', error_description: 'the-refresh-token is <b>bad</b>' },
      'invalid_grant',
      { status: 400 },
    ],
    ['with status 200 (GitHub)', { error: 'bad_refresh_token' }, 'bad_refresh_token'],
    ['with status 200 and ok: false (Slack)', { ok: false, error: 'token_revoked' }, 'token_revoked'],
    ['as a form', 'error=bad_verification_code&error_description=x', 'bad_verification_code', form],
    [
      'as an object',
      { error: { code: 'invalid_token', message: 'the-refresh-token' } },
      'invalid_token',
      { status: 401 },
    ],
    ['without a code', { message: 'no' }, 'unspecified', { status: 400 }],
    ['that repeat a secret', { error: 'the-refresh-token' }, 'unspecified', { status: 400 }],
    ['with markup for a code', { error: '<script>' }, 'unspecified', { status: 400 }],
  ])('%s', async (_, body, error, options) => {
    answers(body, options)
    const refusal = await ask(entryOf(), refresh).catch((thrown: unknown) => thrown)
    expect(refusal).toBeInstanceOf(TokenRefused)
    expect((refusal as TokenRefused).error).toBe(error)
    expect(JSON.stringify([refusal, (refusal as Error).message, (refusal as Error).cause])).not.toMatch(
      /the-refresh-token|</,
    )
  })

  test('only a refresh token goes to the endpoint for refresh tokens, and a code to the token endpoint', async () => {
    answers({ access_token: 'at' })
    const there = oauth2Scheme(acme)?.tokenUrl ?? ''
    const elsewhere = 'http://127.0.0.1:1/token'
    const code: TokenGrant = { kind: 'authorizationCode', code: 'c', redirectUri }
    await ask(entryOf({ tokenUrl: elsewhere, refreshUrl: there }), refresh)
    await ask(entryOf({ refreshUrl: elsewhere }), code)
    const grants = server.tokenRequests.map(({ parameters }) => parameters['grant_type'])
    expect(grants).toEqual(['refresh_token', 'authorization_code'])
  })

  test.each([{ workspace: 'evil.example/' }, { workspace: 'evil.example#' }, { workspace: 'a@evil.example' }, {}])(
    'no value moves the token endpoint to another host: %o',
    async (metadata) => {
      const entry = entryOf({ tokenUrl: 'https://{{workspace}}.example.com/token' })
      const refusal = await ask(entry, refresh, { metadata: metadata as Record<string, string> }).catch(
        (error) => error,
      )
      expect(refusal).toMatchObject({ name: 'TokenRefused', error: 'invalid_inputs' })
    },
  )
})

describe('a good connection is not given up for', () => {
  test.each<[string, unknown, object?]>([
    ['a server that fails', { error: 'invalid_grant' }, { status: 500 }],
    ['a gateway’s page', '<html>502</html>', { status: 502 }],
    ['too many requests', { error: 'slow' }, { status: 429 }],
    ['a firewall’s page', '<html>the-refresh-token</html>', { status: 403 }],
    ['a page where the answer should be', '<html>maintenance</html>', { status: 200 }],
    ['a page with status 400', '<html></html>', { status: 400 }],
    [
      'an answer that breaks off',
      '{"access_token":"at","expires_',
      { headers: { 'content-type': 'application/json' } },
    ],
    ['an empty answer', '', { status: 204 }],
    ['an answer without a token', { expires_in: 60 }],
    ['a token that is no text', { access_token: { token: 'at' } }],
    ['a list', '[{"access_token":"at"}]'],
    ['a passing error', { error: 'temporarily_unavailable' }, { status: 400 }],
    ['a passing error of Slack', { ok: false, error: 'ratelimited' }],
    ['an endpoint that is gone', { message: 'not found' }, { status: 404 }],
    ['an endless answer', 'x'.repeat(2_000_000)],
  ])('%s', async (_, body, options) => {
    answers(body, options)
    const failure = await ask(entryOf(), refresh).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(TokenUnavailable)
    expect((failure as Error).message).not.toMatch(/the-refresh-token|</)
    expect(server.tokenRequests, 'asking in another way would change nothing').toHaveLength(1)
  })

  test('a server that says when to come back', async () => {
    answers({}, { status: 503, headers: { 'retry-after': '120' } })
    await expect(ask(entryOf(), refresh)).rejects.toMatchObject({ retryAfterMs: 120_000 })
    answers({}, { status: 429, headers: { 'retry-after': new Date(issued.getTime() + 30_000).toUTCString() } })
    await expect(ask(entryOf(), refresh)).rejects.toMatchObject({ retryAfterMs: 30_000 })
  })

  test('a redirect, which is not followed', async () => {
    const elsewhere = await listen((_, response) => response.end('{"access_token":"stolen"}'))
    answers('', { status: 307, headers: { location: `${elsewhere.origin}/token` } })
    await expect(ask(entryOf(), refresh)).rejects.toBeInstanceOf(TokenUnavailable)
    expect(elsewhere.requests).toBe(0)
    await elsewhere.close()
  })

  test('a server that hangs up, or never answers', async () => {
    server.answerTokens((request) => request.socket.destroy())
    await expect(ask(entryOf(), refresh)).rejects.toBeInstanceOf(TokenUnavailable)
    const given = new AbortController()
    server.answerTokens(() => given.abort())
    await expect(ask(entryOf(), refresh, {}, { signal: given.signal })).rejects.toBeInstanceOf(TokenUnavailable)
  })

  test('an address that the service must not speak to', async () => {
    const guarded = createOutbound({
      guard: createAddressGuard({ allow: parseAllowedNetworks('') }),
      userAgent: 'test',
    })
    const request = { entry: entryOf(), metadata: {}, client: client('basic'), grant: refresh }
    await expect(requestTokens({ outbound: guarded, now: () => issued }, request)).rejects.toBeInstanceOf(
      TokenUnavailable,
    )
    expect(server.tokenRequests).toHaveLength(0)
    await guarded.close()
  })
})

async function listen(listener: RequestListener) {
  const counted = { requests: 0 }
  const other = createServer((request, response) => {
    counted.requests++
    listener(request, response)
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  return Object.assign(counted, {
    origin: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => other.close(resolve)),
  })
}
