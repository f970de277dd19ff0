import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jwtVerify } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Answer,
  type SeenRequest,
  startServer,
  type TestServer,
} from '../../../../../../providers/src/testing/http-server.testkit.ts'
import { startTestApp, type TestApp } from '../../../../testkit/test-app.ts'
import { createSigner } from '../../../../testkit/test-consumer.ts'

interface Outcome {
  redirect?: { url: string; sessionId: string }
  connection?: { id: string; status: string; authScheme: string; group: { groupRef: string } }
}
interface ProblemBody {
  detail: string
  context: { code: string }
  issues?: { name: string; detail: string }[]
}

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

let provider: TestServer
let dir: string
let app: TestApp
/** What the provider answers, by path; a test may put its own. */
let answers: Record<string, (request: SeenRequest) => Answer>
let tokens = 0
let groups = 0
let groupRef = ''

const files = (origin: string) => ({
  // A request, a browser, and a token that is had with what both yielded.
  stepper: `name: stepper
baseUrl: ${origin}/api
authentication:
  - scheme: custom
    multiStep: true
    inputs: [{ name: account, displayName: Account }, { name: pin, displayName: PIN }]
    appInputs: [{ name: clientId }, { name: clientSecret }, { name: region }]
    headers: { Authorization: 'Bearer {{accessToken}}', X-Region: '{{region}}' }
    steps:
      - request: { method: POST, url: ${origin}/begin, json: { account: '{{account}}', pin: '{{pin}}' } }
        take: { ticket: [ticket.id] }
      - redirect:
          url: ${origin}/consent
          query: { ticket: '{{ticket}}', client: '{{clientId}}', back: '{{redirectUri}}', state: '{{state}}' }
          expect: { granted: 'yes' }
          take: { code: code }
    token:
      request:
        method: POST
        url: ${origin}/token
        form: { code: '{{code}}', client_id: '{{clientId}}', client_secret: '{{clientSecret}}' }
      take: { accessToken: access_token }
      expiresIn: expires_in
healthCheck: { path: /me, successStatusCodes: [200] }
`,
  // Two requests and no browser.
  exchanger: `name: exchanger
baseUrl: ${origin}/api
inputs: [{ name: place, use: kept, default: here }]
authentication:
  - scheme: custom
    multiStep: true
    inputs: [{ name: apiKey, displayName: API key }, { name: user, displayName: User }]
    headers: { Authorization: 'Userkeyauth {{userKeyCredentials}}' }
    steps:
      - request: { url: ${origin}/first, basic: '{{apiKey}}:{{user}}' }
        take: { intermediate: value }
      - request: { url: '${origin}/second/{{intermediate}}' }
        take: { userKey: [no.such, key] }
        make: { userKeyCredentials: '{{apiKey}}:{{userKey}}' }
`,
  // RFC 7523: an assertion is signed with what the customer gave.
  signer: `name: signer
baseUrl: ${origin}/api
inputs: [{ name: tenant }]
authentication:
  - scheme: custom
    inputs:
      - { name: serviceAccountKey, displayName: Service account, kind: json }
      - { name: scopes, displayName: Scopes, kind: list }
    headers: { Authorization: 'Bearer {{accessToken}}' }
    token:
      assertion:
        algorithm: RS256
        key: '{{serviceAccountKey.private_key}}'
        keyId: '{{serviceAccountKey.private_key_id}}'
        claims: { iss: '{{serviceAccountKey.client_email}}', aud: '${origin}/token', scope: '{{scopes}}', sub: '{{tenant}}' }
      request:
        method: POST
        url: ${origin}/token
        form: { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: '{{assertion}}' }
      take: { accessToken: access_token }
      expiresIn: expires_in
`,
  // A host that the customer completes.
  anywhere: `name: anywhere
baseUrl: https://{{host}}
inputs: [{ name: host, kind: host }]
authentication:
  - scheme: custom
    multiStep: true
    inputs: [{ name: key, displayName: Key }]
    headers: { X-Key: '{{made}}' }
    steps:
      - request: { url: 'https://{{host}}/begin', headers: { X-Key: '{{key}}' } }
        take: { made: made }
`,
})

beforeAll(async () => {
  provider = await startServer((request) => answers[request.url.pathname]?.(request) ?? { status: 404 })
  dir = await mkdtemp(join(tmpdir(), 'mortise-custom-'))
  for (const [name, text] of Object.entries(files(provider.origin))) await writeFile(join(dir, `${name}.yaml`), text)
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: dir } })
  const made = await app.call('POST', `/projects/${app.projectId}/provider-apps`, {
    provider: 'stepper',
    clientId: 'client-of-the-app',
    clientSecret: 'secret-of-the-app',
    metadata: { providerParams: { region: 'eu-1' } },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(200)
})
afterAll(async () => {
  await app?.stop()
  await provider?.[Symbol.asyncDispose]()
  if (dir) await rm(dir, { recursive: true, force: true })
})
beforeEach(() => {
  provider.seen.length = 0
  groupRef = `group-${++groups}`
  answers = {
    '/begin': () => ({ body: { ticket: { id: 'ticket-7' } } }),
    '/token': () => ({ body: { access_token: `token-number-${++tokens}`, expires_in: 3600 } }),
    '/first': () => ({ body: { value: 'a/b' } }),
    '/second/a%2Fb': () => ({ body: { key: 'user-key' } }),
    '/api/me': () => ({ body: {} }),
  }
})

const connect = <T = Outcome>(body: unknown, options: Parameters<TestApp['call']>[3] = {}) =>
  app.call<T>('POST', '/custom-auth/connect', body, options)
const first = (more: object = {}) => ({
  projectIdOrName: app.projectId,
  provider: 'stepper',
  groupRef,
  consumerRef: 'ada',
  customAuth: { account: 'acme', pin: '0007!' },
  ...more,
})
/** Begins, and answers where the browser is sent and what it must bring back. */
async function begun(options: Parameters<TestApp['call']>[3] = {}) {
  const answer = await connect(first(), options)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const { url, sessionId } = answer.body.redirect ?? { url: '', sessionId: '' }
  return { url: new URL(url), sessionId, state: new URL(url).searchParams.get('state') ?? '' }
}
const resume = (sessionId: string, callbackParams: Record<string, string>, options = {}) =>
  connect<Outcome & ProblemBody>({ projectIdOrName: app.projectId, sessionId, callbackParams }, options)
const granted = (state: string) => ({ state, granted: 'yes', code: 'code-of-the-browser' })
const encryptedOf = async (id: string) => {
  const { rows } = await sql<{ encrypted: string; expire_time: Date | null }>`
    select encrypted, expire_time from connection_credentials where connection_id = ${id}`.execute(app.db.sql)
  return rows[0]
}

describe('a conversation with a browser', () => {
  test('goes from the inputs over the provider’s page to a connection, as the React library calls it', async () => {
    const { url, sessionId, state } = await begun({ apiKey: app.frontendKey })
    expect(url.origin + url.pathname).toBe(`${provider.origin}/consent`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ticket: 'ticket-7',
      client: 'client-of-the-app',
      back: expect.stringMatching(/^http.*\/callbacks\/v1\/custom-auth\/default$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(JSON.parse(provider.seen[0]?.body ?? '')).toEqual({ account: 'acme', pin: '0007!' })

    const { status, body } = await resume(sessionId, granted(state), { apiKey: app.frontendKey })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(Object.keys(body)).toEqual(['connection'])
    expect(body.connection).toMatchObject({ provider: 'stepper', group: { groupRef } })
    const asked = provider.seen.find(({ url }) => url.pathname === '/token')
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      code: 'code-of-the-browser',
      client_id: 'client-of-the-app',
      client_secret: 'secret-of-the-app',
    })
    expect((await encryptedOf(body.connection?.id ?? ''))?.expire_time).toBeInstanceOf(Date)

    const get = () => app.call('GET', `/projects/${app.projectId}/connections/${body.connection?.id}`)
    await expect.poll(async () => (await get()).body, { timeout: 20_000 }).toMatchObject({ status: 'working' })
    const check = provider.seen.find(({ url }) => url.pathname === '/api/me')
    expect(check?.headers).toMatchObject({ authorization: `Bearer token-number-${tokens}`, 'x-region': 'eu-1' })
  })

  test('is gone on with once', async () => {
    const { sessionId, state } = await begun()
    const both = await Promise.all([resume(sessionId, granted(state)), resume(sessionId, granted(state))])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await resume(sessionId, granted(state))).body.context.code).toBe('custom-auth-session-ended')
  })

  test('ends after ten minutes', async () => {
    const { sessionId, state } = await begun()
    app.clock.advance(10 * 60_000 + 1)
    expect((await resume(sessionId, granted(state))).body.context.code).toBe('custom-auth-session-ended')
  })

  test('belongs to its project, and to the consumer who began', async () => {
    const { sessionId, state } = await begun()
    const other = await connect<ProblemBody>(
      { projectIdOrName: app.otherProject.id, sessionId, callbackParams: granted(state) },
      { apiKey: app.otherProject.apiKey },
    )
    expect(other.body.context.code).toBe('custom-auth-session-ended')

    const signer = await createSigner(app)
    const headers = await signer.headers('another-group', 'eve')
    const eve = await resume(sessionId, granted(state), { apiKey: null, headers })
    expect(eve.body.context.code).toBe('custom-auth-session-ended')
    const theirs = await connect<ProblemBody>(first(), { apiKey: null, headers })
    expect(theirs.status).toBe(403)
  })

  test('believes no browser that was not sent away by it', async () => {
    for (const params of [{}, granted('x'.repeat(43)), { ...granted(''), state: '' }]) {
      const { sessionId } = await begun()
      const { status, body } = await resume(sessionId, params as Record<string, string>)
      expect([status, body.context.code]).toEqual([400, 'custom-auth-refused'])
    }
    expect(provider.seen.filter(({ url }) => url.pathname === '/token')).toEqual([])
  })

  test('a refusal of the provider is told in its words, and connects nothing', async () => {
    const { sessionId, state } = await begun()
    const { status, body } = await resume(sessionId, {
      state,
      error: 'access_denied',
      error_description: 'Not <b>today</b>',
    })
    expect([status, body.context.code]).toEqual([400, 'custom-auth-refused'])
    expect(body.detail).toContain('Not <b>today</b>')
    const again = await begun()
    expect((await resume(again.sessionId, { ...granted(again.state), granted: 'no' })).status).toBe(400)
    const { rows } = await sql`select from connections where group_ref = ${groupRef}`.execute(app.db.sql)
    expect(rows).toEqual([])
  })

  test('a provider that is away can be asked again later; one that repeats secrets is not quoted', async () => {
    answers['/begin'] = () => ({ status: 503 })
    expect((await connect<ProblemBody>(first())).status).toBe(502)
    answers['/begin'] = () => ({ status: 401, body: { message: 'no account acme with PIN 0007-secret' } })
    const refused = await connect<ProblemBody>(first({ customAuth: { account: 'acme', pin: '0007-secret' } }))
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.body)).not.toContain('0007-secret')
  })

  test.each([
    ['an answer without the value', { body: { ticket: {} } }],
    ['an answer that is no JSON', { body: '<html>' }],
    ['a value that is no text', { body: { ticket: { id: { a: 1 } } } }],
    ['a redirect', { status: 302, headers: { location: 'http://169.254.169.254/' } }],
  ])('a hostile provider: %s', async (_, answer) => {
    answers['/begin'] = () => answer
    const { status, body } = await connect<ProblemBody>(first())
    expect([status, body.context.code]).toEqual([400, 'custom-auth-refused'])
  })
})

describe('what is sent is judged at once', () => {
  test('every missing input, ref and app is named', async () => {
    const { status, body } = await connect<ProblemBody>({
      projectIdOrName: app.projectId,
      provider: 'stepper',
      customAuth: { pin: '' },
    })
    expect(status).toBe(400)
    expect(body.issues?.map(({ name }) => name).sort()).toEqual([
      'consumerRef',
      'customAuth.account',
      'customAuth.pin',
      'groupRef',
    ])
    const noApp = await connect<ProblemBody>(first({ providerAppId: '01890000-0000-7000-8000-000000000000' }))
    expect(noApp.body.issues?.map(({ name }) => name)).toEqual(['providerAppId'])
  })

  test('a provider without steps is refused', async () => {
    for (const provider of ['signer', 'gitlab', 'hubspot', 'snowflake']) {
      const { status, body } = await connect<ProblemBody>(first({ provider }))
      expect([provider, status]).toEqual([provider, 400])
      expect(body.issues?.map(({ name }) => name)).toContain('provider')
    }
  })

  test.each(['10.0.0.1', '169.254.169.254', '[fd00::1]', 'evil.example.com/..', 'a@b', 'x:80', ''])(
    'no template leads to "%s"',
    async (host) => {
      const { status } = await connect(
        first({ provider: 'anywhere', customAuth: { key: 'k' }, providerMetadata: { host } }),
      )
      expect(status).toBe(400)
      expect(provider.seen).toEqual([])
    },
  )
})

describe('requests alone', () => {
  test('two exchanges make the credential, and the first call is the last', async () => {
    const body = first({ provider: 'exchanger', customAuth: { apiKey: 'k1', user: 'u1', extra: 'dropped' } })
    const answer = await connect(body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(answer.body.connection).toMatchObject({ provider: 'exchanger' })
    expect(provider.seen.map(({ url, headers }) => [url.pathname, headers['authorization']])).toEqual([
      ['/first', `Basic ${Buffer.from('k1:u1').toString('base64')}`],
      ['/second/a%2Fb', undefined],
    ])
    // The same account again keeps its id.
    expect((await connect(body)).body.connection?.id).toBe(answer.body.connection?.id)
  })
})

describe('signed assertions', () => {
  const account = { client_email: 'robot@acme.example', private_key_id: 'key-1', private_key: pem }
  const generate = <T = Outcome['connection'] & ProblemBody>(customAuth: object, query = '?verify=true') =>
    app.call<T>('POST', `/projects/${app.projectId}/connections:generate${query}`, {
      provider: 'signer',
      groupRef,
      consumerRef: 'ada',
      providerMetadata: { tenant: 'acme' },
      customAuth,
    })

  test.each([
    ['an object', account],
    ['its text', JSON.stringify(account)],
    ['Base64 of it', Buffer.from(JSON.stringify(account)).toString('base64')],
  ])('a key given as %s signs what the provider verifies', async (_, serviceAccountKey) => {
    const made = await generate({ serviceAccountKey, scopes: ['read', 'write'] })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const asked = new URLSearchParams(provider.seen[0]?.body)
    expect(asked.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const { payload, protectedHeader } = await jwtVerify(asked.get('assertion') ?? '', publicKey, {
      currentDate: app.clock.now(),
      audience: `${provider.origin}/token`,
    })
    expect(payload).toMatchObject({ iss: 'robot@acme.example', scope: 'read write', sub: 'acme' })
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
    // There is no health check: the token proves the key.
    expect(made.body.status).toBe('working')
  })

  test('everything that is wrong with the inputs is told, without their values', async () => {
    const { status, body } = await generate({ serviceAccountKey: 'no-json-at-all' })
    expect(status).toBe(400)
    expect(body.issues?.map(({ name }) => name)).toEqual(['customAuth.serviceAccountKey', 'customAuth.scopes'])
    expect(JSON.stringify(body)).not.toContain('no-json-at-all')
  })

  test('a key that is none, or that the provider refuses, makes a bad credential', async () => {
    const none = await generate({ serviceAccountKey: { ...account, private_key: 'xyz' }, scopes: 'read' })
    expect([none.status, none.body.status]).toEqual([201, 'bad_credentials'])
    answers['/token'] = () => ({ status: 400, body: { error: 'invalid_grant' } })
    const refused = await generate({ serviceAccountKey: account, scopes: 'read' })
    expect([refused.status, refused.body.status]).toEqual([201, 'bad_credentials'])
  })

  test('the token is asked for again when it has ended', async () => {
    const made = await generate({ serviceAccountKey: account, scopes: 'read' })
    const open = () => app.app.services.connectionHandles.open(app.projectId, made.body.id)
    const before = (await (await open()).authenticate()).headers['authorization']
    app.clock.advance(3_600_000)
    const after = (await (await open()).authenticate()).headers['authorization']
    expect(after).not.toBe(before)
    expect(after).toBe(`Bearer token-number-${tokens}`)
    expect(provider.seen.filter(({ url }) => url.pathname === '/token')).toHaveLength(2)
  })
})

describe('the page that browsers come back to', () => {
  const callback = (params: Record<string, string>) =>
    app.call<string>('GET', `//callbacks/v1/custom-auth/default?${new URLSearchParams(params)}`, undefined, {
      apiKey: null,
    })
  const outcomeOf = (text: string) =>
    JSON.parse(/<script type="application\/json" id="outcome">(.*?)<\/script>/s.exec(text)?.[1] ?? 'null') as unknown

  test('hands all parameters as texts to the page that began', async () => {
    const { state } = await begun({ headers: { origin: 'https://app.acme.example' } })
    const params = { state, code: '</script><b>', n: '1' }
    const page = await callback(params)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('cross-origin-opener-policy')).toBeNull()
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.body).not.toContain('</script><b>')
    expect(outcomeOf(page.body)).toMatchObject({
      message: { source: 'ampersand-custom-auth', params },
      targetOrigin: 'https://app.acme.example',
    })

    const form = await fetch(`${app.url}/callbacks/v1/custom-auth/default?state=${state}`, {
      method: 'POST',
      body: new URLSearchParams({ code: 'posted' }),
    })
    expect(outcomeOf(await form.text())).toMatchObject({ message: { params: { state, code: 'posted' } } })
  })

  test('says nothing to anybody where nobody waits', async () => {
    const { state } = await begun()
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`p${at}`, 'x']))
    for (const params of [{ code: 'x' }, { state: 'y'.repeat(43), code: 'x' }, { state, ...many }]) {
      const page = await callback(params as Record<string, string>)
      expect([page.status, outcomeOf(page.body)]).toEqual([400, null])
    }
  })
})

test('no secret is in a log, a list or a row', async () => {
  const { sessionId, state } = await begun()
  const { rows: sessions } = await sql<{ encrypted: string }>`select * from custom_auth_sessions`.execute(app.db.sql)
  const done = await resume(sessionId, granted(state))
  const list = await app.call('GET', `/projects/${app.projectId}/connections`)
  const row = await encryptedOf(done.body.connection?.id ?? '')
  const everything = JSON.stringify([sessions, row, done.body, list.body]) + app.logs.join('')
  for (const secret of ['0007!', 'code-of-the-browser', 'secret-of-the-app', 'token-number-', sessionId, 'PRIVATE KEY'])
    expect(everything).not.toContain(secret)
})
