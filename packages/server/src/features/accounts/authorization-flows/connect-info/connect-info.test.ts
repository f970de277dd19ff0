import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Answer,
  type SeenRequest,
  startServer,
  type TestServer,
} from '../../../../../../providers/src/testing/http-server.testkit.ts'
import { connectProviders } from '../connect-page/connect-page.testkit.ts'
import { type ConnectingKit, publicUrl, startConnectingKit } from '../connecting.testkit.ts'

/** What components ask for, with the token of a connect session. */
let kit: ConnectingKit
let provider: TestServer
let answers: Record<string, (request: SeenRequest) => Answer>
let groups = 0
let groupRef = ''

const secret = 'the-good-secret'

beforeAll(async () => {
  provider = await startServer((request) => answers[request.url.pathname]?.(request) ?? { status: 404 })
  kit = await startConnectingKit({ providers: (server) => connectProviders(provider.origin, server) })
  await kit.makeApp('plain')
  await kit.makeApp('several')
  await kit.makeApp('stepper', { clientId: 'an-app', clientSecret: 'a-secret', scopes: [] })
  const connect = { frameOrigins: ['https://app.example.com'], theme: { accent: '#123456' }, language: 'de' }
  const logoUrl = 'https://cdn.example.com/logo.svg'
  const project = { appName: 'Acme CRM', logoUrl, connect }
  await kit.app.call('PATCH', '/projects/default', { updateMask: ['appName', 'logoUrl', 'connect'], project })
}, 60_000)
afterAll(async () => {
  await kit?.stop()
  await provider?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  groupRef = `components-${++groups}`
  answers = {
    '/me': ({ headers }) => ({
      status: headers['x-key'] === secret || headers['authorization'] === `Bearer ${secret}` ? 200 : 401,
      body: {},
    }),
    '/token': () => ({ status: 200, body: { access_token: secret } }),
  }
})

interface Session {
  id: string
  token: string
  url: string
  failure?: string
  connectionId?: string
}
interface Problem {
  detail: string
  context?: { code: string }
  issues?: { name: string; detail: string }[]
}
interface Connected extends Problem {
  outcome: 'connected' | 'redirect'
  url?: string
  connection?: { id: string; status: string; consumer: { consumerRef: string } }
}
const info = '/projects/default/connect-info'
const sessions = '/projects/default/connect-sessions'

async function session(body: object): Promise<Session> {
  const answer = await kit.app.call<Session>('POST', sessions, { groupRef, consumerRef: 'ada', ...body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const as = <T = Record<string, unknown>>(
  { token }: Session,
  method: string,
  path: string,
  body?: unknown,
  origin?: string,
) =>
  kit.app.call<T>(method, path, body, {
    apiKey: null,
    headers: { authorization: `Bearer ${token}`, ...(origin !== undefined && { origin }) },
  })
const connect = (token: Session, name: string, body: object, origin?: string) =>
  as<Connected>(token, 'POST', `${info}/providers/${name}:connect`, { values: {}, ...body }, origin)
const keyed = { scheme: 'apiKey', values: { 'providerMetadata.workspace': 'acme', apiKey: secret } }
const pathOf = (url: string | null | undefined) => {
  const { pathname, search } = new URL(url!)
  return pathname + search
}

describe('the first view', () => {
  test('has the application, the session and what may be connected, in one response', async () => {
    const token = await session({ providers: ['keyed', 'several', 'machine'], language: 'pt-BR', theme: 'dark' })
    const { status, body } = await as(token, 'GET', info)
    expect([status, body]).toEqual([
      200,
      {
        projectId: kit.app.projectId,
        appName: 'Acme CRM',
        logoUrl: 'https://cdn.example.com/logo.svg',
        connect: { frameOrigins: ['https://app.example.com'], theme: { accent: '#123456' }, language: 'de' },
        session: {
          id: token.id,
          purpose: 'connect',
          language: 'pt-BR',
          theme: 'dark',
          expireTime: expect.any(String),
        },
        group: { groupRef, groupName: groupRef },
        consumer: { consumerRef: 'ada', consumerName: 'ada' },
        providers: [
          { name: 'keyed', displayName: 'Keyed', methods: ['fields'], asksFor: 'apiKey' },
          { name: 'several', displayName: 'Several', methods: ['oauth2', 'fields'], asksFor: 'signIn' },
          { name: 'machine', displayName: expect.any(String), methods: ['fields'], asksFor: 'keys' },
        ],
        integrations: [],
        connections: [],
        installations: [],
      },
    ])
  })

  test('says of a connection that does not work since when and why', async () => {
    const token = await session({ provider: 'keyed' })
    answers['/me'] = () => ({ status: 401, body: { message: 'This key was revoked' } })
    await connect(token, 'keyed', { ...keyed, values: { ...keyed.values, apiKey: 'bad' } })
    const { body } = await as<{ connections: object[]; session: object }>(token, 'GET', info)
    const failure = 'This key was revoked.'
    expect(body.connections).toEqual([
      expect.objectContaining({ status: 'bad_credentials', statusSince: expect.any(String), failure }),
    ])
    expect(body.session).toMatchObject({ failure: expect.stringMatching(/^Keyed refused this credential\./) })
  })

  test('needs the group and the consumer from a key', async () => {
    const missing = await kit.app.call<Problem>('GET', info)
    expect([missing.status, missing.body.issues?.map(({ name }) => name)]).toEqual([400, ['groupRef', 'consumerRef']])
    const query = `?groupRef=${groupRef}&consumerRef=ada`
    const answer = await kit.app.call('GET', info + query, undefined, { apiKey: kit.app.frontendKey })
    expect([answer.status, answer.body]).toMatchObject([200, { group: { groupRef }, connections: [] }])
  })

  test('names scopes that the account lacks', async () => {
    const token = await session({ purpose: 'manage', provider: 'plain' })
    await kit.connect((await connect(token, 'plain', { scheme: 'oauth2' })).body.url!)
    const list = await as<{
      connections: { providerApp: { id: string; scopes: string[] }; missingScopes?: string[] }[]
    }>(token, 'GET', info)
    const { providerApp, missingScopes } = list.body.connections[0]!
    expect(missingScopes).toBeUndefined()
    const scopes = [...(providerApp.scopes ?? []), 'contacts.erase', 'offline_access']
    const change = { updateMask: ['scopes'], providerApp: { scopes } }
    const changed = await kit.app.call('PATCH', `/projects/default/provider-apps/${providerApp.id}`, change)
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    expect((await as(token, 'GET', info)).body['connections']).toMatchObject([{ missingScopes: ['contacts.erase'] }])
    await kit.app.call('PATCH', `/projects/default/provider-apps/${providerApp.id}`, {
      ...change,
      providerApp: { scopes: providerApp.scopes },
    })
  })
})

describe('the form of a provider', () => {
  test('has the fields of the connect page, for each method', async () => {
    const token = await session({ providers: ['keyed', 'custom', 'stepper', 'plain'] })
    const form = async (name: string) => (await as(token, 'GET', `${info}/providers/${name}`)).body
    expect(await form('keyed')).toEqual({
      name: 'keyed',
      displayName: 'Keyed',
      methods: [
        {
          scheme: 'apiKey',
          kind: 'fields',
          name: 'Private app key',
          fields: [
            {
              name: 'providerMetadata.workspace',
              label: 'Workspace',
              help: expect.stringContaining('first part'),
              docsUrl: 'https://keyed.example/help',
              type: 'text',
              maxLength: 200,
            },
            { name: 'apiKey', label: 'Private app key', type: 'secret', maxLength: 20_000 },
          ],
          host: new URL(provider.origin).host,
        },
      ],
    })
    expect(await form('custom')).toMatchObject({
      methods: [
        {
          kind: 'fields',
          fields: expect.arrayContaining([expect.objectContaining({ type: 'select', options: expect.any(Array) })]),
        },
      ],
    })
    expect(await form('stepper')).toMatchObject({ methods: [{ kind: 'steps' }] })
  })

  test.each([
    ['freshdesk', { prefix: 'https://', suffix: '.freshdesk.com' }],
    ['sampleCrm', undefined],
  ])('of %s shows what stands around a value in the address', async (name, around) => {
    const query = `?groupRef=${groupRef}&consumerRef=ada`
    const { status, body } = await kit.app.call<{ methods?: { fields: object[] }[] }>(
      'GET',
      `${info}/providers/${name}${query}`,
    )
    if (around === undefined) expect(status).toBe(404)
    else expect(body.methods?.[0]?.fields[0]).toMatchObject({ name: 'providerMetadata.workspace', ...around })
  })

  test('is not there for a provider that the session is not for', async () => {
    const token = await session({ provider: 'keyed' })
    for (const name of ['basic', 'nothing', 'no-such'])
      expect((await as<Problem>(token, 'GET', `${info}/providers/${name}`)).body.context?.code).toBe(
        'provider-not-found',
      )
    expect((await connect(token, 'basic', { scheme: 'basic' })).status).toBe(404)
  })
})

describe('connecting with values', () => {
  test('connects the account; after that, a session that connects one may only read', async () => {
    const token = await session({ provider: 'keyed' })
    const { status, body } = await connect(token, 'keyed', keyed)
    expect([status, body]).toMatchObject([200, { outcome: 'connected', connection: { status: 'working' } }])
    expect(JSON.stringify(body)).not.toContain(secret)
    expect((await kit.app.call<Session>('GET', `${sessions}/${token.id}`)).body.connectionId).toBe(body.connection?.id)
    expect((await connect(token, 'keyed', keyed)).status).toBe(403)
    expect((await as(token, 'GET', info)).status).toBe(200)
  })

  test('reports all wrong values at once, and shows none', async () => {
    const token = await session({ provider: 'custom' })
    const values = { 'customAuth.region': 'mars', 'customAuth.document': 'typed-in-vain', other: 'typed-in-vain' }
    const unknown = await connect(token, 'custom', { scheme: 'custom', values })
    expect([unknown.status, unknown.body.issues?.map(({ name }) => name)]).toEqual([400, ['values.other']])
    const { other, ...known } = values
    const answer = await connect(token, 'custom', { scheme: 'custom', values: known })
    expect([answer.status, answer.body.issues?.map(({ name }) => name)]).toEqual([
      400,
      ['values.customAuth.region', 'values.customAuth.account', 'values.customAuth.key'],
    ])
    expect(JSON.stringify([unknown.body, answer.body])).not.toContain('typed-in-vain')
    const scheme = await connect(token, 'custom', { scheme: 'no-such' })
    expect(scheme.body.issues?.map(({ name }) => name)).toEqual(['scheme'])
  })

  test('says with the words of the provider that it refuses, or cannot be reached', async () => {
    const token = await session({ provider: 'keyed' })
    answers['/me'] = () => ({ status: 401, body: { message: `The key ${secret} has expired` } })
    const refused = await connect(token, 'keyed', keyed)
    expect([refused.status, refused.body]).toMatchObject([
      422,
      { context: { code: 'credential-refused' }, detail: 'The key [secret] has expired.' },
    ])
    expect(JSON.stringify(refused.body)).not.toContain(secret)
    answers['/me'] = () => ({ status: 503 })
    const away = await connect(token, 'keyed', keyed)
    expect([away.status, away.body]).toMatchObject([
      422,
      { context: { code: 'provider-unreachable' }, detail: 'The answer has the status 503.' },
    ])
    answers['/me'] = () => ({ status: 200, body: {} })
    expect((await connect(token, 'keyed', keyed)).status).toBe(200)
    expect((await kit.app.call<Session>('GET', `${sessions}/${token.id}`)).body).not.toHaveProperty('failure')
  })

  test('reconnects an account of the group, which keeps its id and its person', async () => {
    const first = await session({ provider: 'keyed', consumerRef: 'bob' })
    const { connection } = (await connect(first, 'keyed', keyed)).body
    const body = { scheme: 'apiKey', values: { apiKey: secret }, connectionId: connection?.id }
    // A session that connects one account must not replace the credential of another person.
    expect((await connect(await session({ provider: 'keyed' }), 'keyed', body)).status).toBe(404)
    const manager = await session({ purpose: 'manage', provider: 'keyed' })
    const again = await connect(manager, 'keyed', body)
    expect([again.status, again.body]).toMatchObject([
      200,
      { connection: { id: connection?.id, consumer: { consumerRef: 'bob' } } },
    ])
    const form = await as(manager, 'GET', `${info}/providers/keyed?connectionId=${connection?.id}`)
    expect(form.body).toMatchObject({ reconnects: connection?.id, methods: [{ fields: [{ name: 'apiKey' }] }] })
    groupRef = `${groupRef}-other`
    const stranger = await session({ purpose: 'manage', provider: 'keyed' })
    expect((await connect(stranger, 'keyed', body)).status).toBe(404)
  })
})

describe('OAuth', () => {
  const origin = 'https://app.example.com'

  test('in a window sends the result to the page that asked', async () => {
    const token = await session({ provider: 'plain' })
    const { status, body } = await connect(token, 'plain', { scheme: 'oauth2' }, origin)
    expect([status, body.outcome]).toEqual([200, 'redirect'])
    expect(new URL(body.url!).origin).toBe(publicUrl)
    const end = await kit.connect(body.url!)
    expect(end.text).toContain('AUTHORIZATION_SUCCEEDED')
    expect(end.text).toContain(`"targetOrigin":"${origin}"`)
    expect((await kit.app.call<Session>('GET', `${sessions}/${token.id}`)).body.connectionId).toBeDefined()
    expect((await connect(token, 'plain', { scheme: 'oauth2' })).status).toBe(403)
  })

  test('that is denied leaves the reason in the session at once, and can be tried again', async () => {
    const token = await session({ provider: 'plain' })
    const { body } = await connect(token, 'plain', { scheme: 'oauth2' }, origin)
    const browser = kit.browser()
    const away = await browser.get(pathOf(body.url))
    const state = new URL(away.location!).searchParams.get('state')!
    await browser.get(`/callbacks/v1/oauth?${new URLSearchParams({ state, error: 'access_denied' })}`)
    const failure = 'Access to plain was not granted.'
    expect((await as(token, 'GET', `${sessions}/${token.id}`)).body).toMatchObject({ failure })
    expect((await as(token, 'GET', info)).body).toMatchObject({ session: { failure } })
    const again = await connect(token, 'plain', { scheme: 'oauth2' }, origin)
    expect((await as(token, 'GET', `${sessions}/${token.id}`)).body).not.toHaveProperty('failure')
    await kit.connect(again.body.url!)
    expect((await as<{ connections: object[] }>(token, 'GET', info)).body.connections).toHaveLength(1)
  })

  test.each(['page', 'redirectUrl', 'frame'])('by redirect returns to the %s, with the result', async (which) => {
    const redirectUrl = 'https://elsewhere.example/done?tenant=1'
    const token = await session({ provider: 'plain', redirectUrl })
    const returnUrl = { page: token.url, redirectUrl, frame: `${origin}/integrations?error=old` }[which]!
    const { status, body } = await connect(token, 'plain', { scheme: 'oauth2', mode: 'redirect', returnUrl })
    expect(status, JSON.stringify(body)).toBe(200)
    const end = await kit.connect(body.url!)
    const location = new URL(end.location!)
    expect(`${location.origin}${location.pathname}`).toBe(returnUrl.split('?')[0])
    const { connectionId } = (await kit.app.call<Session>('GET', `${sessions}/${token.id}`)).body
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ connectionId, status: 'working' })
    expect(location.searchParams.has('error')).toBe(false)
  })

  test.each([
    undefined,
    'https://evil.example/',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'javascript:alert(1)',
    'https://elsewhere.example/other',
    `${publicUrl}/connect/${'A'.repeat(43)}`,
    `${publicUrl}/`,
  ])('by redirect does not return to %s', async (returnUrl) => {
    const token = await session({ provider: 'plain', redirectUrl: 'https://elsewhere.example/done' })
    const { status, body } = await connect(token, 'plain', { scheme: 'oauth2', mode: 'redirect', returnUrl })
    expect([status, body.issues?.map(({ name }) => name)]).toEqual([400, ['returnUrl']])
  })

  test('by redirect does not return to the page of another session', async () => {
    const other = await session({ provider: 'plain' })
    const token = await session({ provider: 'plain' })
    const { status } = await connect(token, 'plain', { scheme: 'oauth2', mode: 'redirect', returnUrl: other.url })
    expect(status).toBe(400)
  })
})

describe('multi-step authentication', () => {
  const begin = async (body: object = {}) => {
    const token = await session({ provider: 'stepper' })
    const form = await as<{ methods: { scheme: string }[] }>(token, 'GET', `${info}/providers/stepper`)
    const scheme = form.body.methods[0]?.scheme
    const values = { 'customAuth.account': 'a-1' }
    const answer = await connect(token, 'stepper', { scheme, values, ...body }, 'https://app.example.com')
    expect([answer.status, answer.body.outcome], JSON.stringify(answer.body)).toEqual([200, 'redirect'])
    return { token, url: pathOf(answer.body.url) }
  }
  const backOf = (location: string | null) =>
    `/callbacks/v1/custom-auth/default?${new URLSearchParams({ state: new URL(location!).searchParams.get('state')!, code: 'c' })}`

  test('belongs to the first browser that opens it, and ends in its window', async () => {
    const { token, url } = await begin()
    const browser = kit.browser()
    const away = await browser.get(url)
    expect([away.status, new URL(away.location!).pathname]).toEqual([303, '/consent'])
    expect((await kit.browser().get(url)).status).toBe(400)
    expect((await kit.browser().get(backOf(away.location!))).status).toBe(400)
    const end = await browser.get(backOf(away.location!))
    expect([end.status, end.text]).toEqual([200, expect.stringContaining('AUTHORIZATION_SUCCEEDED')])
    expect((await as<Session>(token, 'GET', `${sessions}/${token.id}`)).body.connectionId).toBeDefined()
  })

  test('that nobody opened cannot be finished', async () => {
    const { url } = await begin()
    const state = new URLSearchParams(url.split('?')[1]).get('state')!
    const back = `/callbacks/v1/custom-auth/default?${new URLSearchParams({ state, code: 'c' })}`
    expect((await kit.browser().get(back)).status).toBe(400)
  })

  test('by redirect returns with the result', async () => {
    const { url } = await begin({ mode: 'redirect', returnUrl: 'https://app.example.com/x' })
    const browser = kit.browser()
    const away = await browser.get(url)
    const end = await browser.get(backOf(away.location!))
    expect([end.status, end.location]).toEqual([
      303,
      expect.stringMatching(/^https:\/\/app\.example\.com\/x\?connectionId=/),
    ])
  })
})
