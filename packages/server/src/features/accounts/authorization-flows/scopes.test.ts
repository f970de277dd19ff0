import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../../../providers/src/testing/http-server.testkit.ts'
import { authorizationProvider } from '../../../testkit/authorization-server.ts'
import { type ConnectingKit, startConnectingKit } from './connecting.testkit.ts'

/** Scopes that objects need: what customers are asked for, and what is missing afterwards. */
let kit: ConnectingKit
let api: TestServer
let isForbidden = false

const objects = {
  contacts: {
    scopes: { read: ['contacts.read'], write: [{ anyOf: ['contacts.write', 'admin'] }] },
    read: { path: '/contacts', records: 'items' },
    write: { create: { path: '/contacts' } },
  },
}
const rules = {
  scopeIncludes: { 'contacts.write': ['contacts.read'] },
  scopeDescriptions: { 'contacts.read': 'Read your contacts' },
  askAgainParams: { prompt: 'consent', include_granted_scopes: 'true' },
}
const base = '/projects/default'

beforeAll(async () => {
  api = await startServer(() =>
    isForbidden ? { status: 403, body: { message: 'no' } } : { status: 200, body: { items: [{ id: 1, name: 'Ada' }] } },
  )
  kit = await startConnectingKit({
    providers: (server) => {
      const file = (changes: object) => ({
        ...JSON.parse(authorizationProvider(server, 'x', 'authorizationCode', { ...rules, ...changes })),
        baseUrl: api.origin,
        healthCheck: { path: '/me' },
        objects,
      })
      const { name: _, ...fixed } = file({})
      const { name: __, ...demanding } = file({ scopesOnDemand: true })
      return { fixed, demanding }
    },
  })
  for (const provider of ['fixed', 'demanding']) {
    const answer = await kit.app.call('PUT', `${base}/integrations:batch`, { sourceYaml: manifest(provider) })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  }
}, 60_000)
afterAll(async () => {
  await kit?.stop()
  await api?.[Symbol.asyncDispose]()
})

const reading = { objectName: 'contacts', destination: 'hook', schedule: '0 3 * * *', optionalFieldsAuto: 'all' }

function manifest(provider: string): string {
  const integration = {
    name: provider,
    provider,
    read: { objects: [reading] },
    write: { objects: [{ objectName: 'contacts' }] },
  }
  return JSON.stringify({ specVersion: '1.0.0', integrations: [integration] })
}

async function askedScope(body: object): Promise<string | null> {
  return new URL(await kit.begin({ ...body, enableCSRFProtection: false })).searchParams.get('scope')
}

/** Connects an account that grants these scopes. Returns the id of the connection. */
async function connect(provider: string, groupRef: string, scope: string): Promise<string> {
  const body = { access_token: 'a-token-0123456789', token_type: 'bearer', scope }
  kit.server.answerTokens((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  const page = await kit.connect(await kit.begin({ provider, groupRef }))
  kit.server.answerTokens(undefined)
  expect(page.status, page.text).toBe(200)
  const { body: found } = await kit.app.call<{ id: string }[]>('GET', `${base}/connections?groupRef=${groupRef}`)
  return found[0]?.id ?? ''
}

const missingOf = async (connectionId: string) => {
  const path = `${base}/connections/${connectionId}?includeTokenInfo=true`
  return (await kit.app.call<{ tokenInfo: { missingScopes: string[] } }>('GET', path)).body.tokenInfo.missingScopes
}

interface Installed {
  id: string
  missingScopes?: object[]
  detail?: string
}
const install = (integration: string, groupRef: string, query = '') =>
  kit.app.call<Installed>('POST', `${base}/integrations/${integration}/installations${query}`, {
    groupRef,
    config: { content: { provider: integration, read: { objects: { contacts: { selectedFieldsAuto: 'all' } } } } },
  })

test('where a provider grants scopes on request, customers are asked for what integrations need, too', async () => {
  await kit.makeApp('demanding', { scopes: ['openid'] })
  expect(await askedScope({ provider: 'demanding' })).toBe('openid contacts.write')
  await kit.makeApp('demanding', { scopes: ['openid', 'admin'] })
  expect(await askedScope({ provider: 'demanding' }), 'one of several is enough').toBe('openid admin contacts.read')
})

test('elsewhere customers are asked for the scopes of the app alone', async () => {
  await kit.makeApp('fixed', { scopes: ['openid'] })
  expect(await askedScope({ provider: 'fixed' })).toBe('openid')
})

test('a connection names the scopes that were asked for and not granted, a broader one counts', async () => {
  await kit.makeApp('demanding', { scopes: ['openid'] })
  expect(await missingOf(await connect('demanding', 'fewer', 'openid'))).toEqual(['contacts.write'])
  expect(await missingOf(await connect('demanding', 'all', 'openid contacts.write'))).toEqual([])
  await kit.makeApp('fixed', { scopes: ['openid', 'contacts.read'] })
  expect(await missingOf(await connect('fixed', 'broad', 'openid contacts.write'))).toEqual([])
})

test('an installation names the scopes that its account did not grant, until the account grants them', async () => {
  const missingScopes = [
    { objectName: 'contacts', action: 'read', anyOf: ['contacts.read'] },
    { objectName: 'contacts', action: 'write', anyOf: ['contacts.write', 'admin'] },
  ]
  await kit.makeApp('fixed', { scopes: ['openid'] })
  await connect('fixed', 'lacking', 'openid')
  const created = await install('fixed', 'lacking')
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  expect(created.body).toMatchObject({ missingScopes })
  const path = `${base}/integrations/fixed/installations/${created.body.id}`
  expect((await kit.app.call('GET', path)).body).toMatchObject({ missingScopes })
  const list = async (query: string) => (await kit.app.call<Installed[]>('GET', `${base}/installations?${query}`)).body
  expect(await list('groupRef=lacking&includeMissingScopes=true')).toMatchObject([{ missingScopes }])
  expect((await list('groupRef=lacking'))[0]).not.toHaveProperty('missingScopes')
  await connect('fixed', 'lacking', 'openid contacts.write')
  expect((await kit.app.call('GET', path)).body).not.toHaveProperty('missingScopes')
})

test('if the provider forbids the test read, the problem names the missing scope', async () => {
  await kit.makeApp('fixed', { scopes: ['openid'] })
  await connect('fixed', 'forbidden', 'openid')
  await connect('fixed', 'other-reason', 'contacts.write')
  isForbidden = true
  try {
    const refused = await install('fixed', 'forbidden')
    expect(refused.status).toBe(422)
    expect(refused.body.detail).toContain(
      'x does not allow reading contacts: the account did not grant the scope contacts.read.',
    )
    expect((await install('fixed', 'forbidden', '?skipSampling=true')).status).toBe(201)
    expect((await install('fixed', 'other-reason')).status, 'scopes are not the reason').toBe(201)
  } finally {
    isForbidden = false
  }
})

test('the form of a connect session shows the scopes that customers are asked for', async () => {
  await kit.makeApp('demanding', { scopes: ['openid'] })
  const session = await kit.app.call<{ token: string }>('POST', `${base}/connect-sessions`, {
    provider: 'demanding',
    groupRef: 'shown',
    consumerRef: 'ada',
  })
  const headers = { authorization: `Bearer ${session.body.token}` }
  const { body } = await kit.app.call('GET', `${base}/connect-info`, undefined, { apiKey: null, headers })
  expect(JSON.stringify(body)).toContain('contacts.write')
})

describe('permissions that an account did not grant', () => {
  const use = { objectName: 'contacts', displayName: 'Contacts', isRequired: false }
  const missingRead = {
    scope: 'contacts.read',
    description: 'Read your contacts',
    neededFor: [{ ...use, action: 'read' }],
  }
  const missingWrite = { scope: 'contacts.write', neededFor: [{ ...use, action: 'write' }] }
  interface Session {
    id: string
    token: string
    url: string
    failure?: string
  }
  const session = async (body: object) => {
    const answer = await kit.app.call<Session>('POST', `${base}/connect-sessions`, { consumerRef: 'ada', ...body })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body
  }
  const as = <T = { connections: { id: string; missingPermissions?: object[] }[] }>(
    { token }: Session,
    method: string,
    path: string,
    body?: object,
  ) => kit.app.call<T>(method, path, body, { apiKey: null, headers: { authorization: `Bearer ${token}` } })
  const begin = (of: Session, body: object) =>
    as<{ url: string; detail: string }>(of, 'POST', `${base}/connect-info/providers/fixed:connect`, {
      scheme: 'oauth2',
      values: {},
      ...body,
    })
  /** Opens the URL of a flow. The account grants these scopes. */
  async function grant(url: string, scope: string) {
    kit.server.answerTokens((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ access_token: 'a-token-0123456789', token_type: 'bearer', scope }))
    })
    const page = await kit.connect(url)
    kit.server.answerTokens(undefined)
    return page
  }
  const missingIn = async (of: Session) => (await as(of, 'GET', `${base}/connect-info`)).body.connections[0]
  const asked = async (scopes: string[], more: object = {}) => kit.makeApp('fixed', { scopes, ...more })

  test('are named with what needs them, in the words of the builder', async () => {
    await asked(['openid', 'contacts.read', 'contacts.write', 'reports'])
    const of = await session({ provider: 'fixed', groupRef: 'named' })
    await grant((await begin(of, {})).body.url, 'openid')
    expect((await missingIn(of))?.missingPermissions).toEqual([
      missingRead,
      missingWrite,
      { scope: 'reports', neededFor: [] },
    ])
    const named = { name: 'people', read: { objects: [{ ...reading, mapToDisplayName: 'People', enabled: 'always' }] } }
    const deployed = await kit.app.call('PUT', `${base}/integrations:batch`, {
      sourceYaml: JSON.stringify({
        specVersion: '1.0.0',
        integrations: [...JSON.parse(manifest('fixed')).integrations, { provider: 'fixed', ...named }],
      }),
    })
    expect(deployed.status, JSON.stringify(deployed.body)).toBe(200)
    const limited = await session({ purpose: 'install', integration: 'people', groupRef: 'named' })
    expect((await missingIn(limited))?.missingPermissions).toEqual([
      { ...missingRead, neededFor: [{ ...use, displayName: 'People', action: 'read', isRequired: true }] },
      { scope: 'contacts.write', neededFor: [] },
      { scope: 'reports', neededFor: [] },
    ])
    expect((await kit.app.call('DELETE', `${base}/integrations/people`)).status).toBe(204)
  })

  test('count only if they were asked for: a broader scope, or one that may be left out', async () => {
    await asked(['openid'])
    await connect('fixed', 'never-asked', 'openid')
    expect((await missingIn(await session({ provider: 'fixed', groupRef: 'never-asked' })))?.missingPermissions).toBe(
      undefined,
    )
    await asked(['openid', 'contacts.write'])
    await connect('fixed', 'broader', 'openid')
    expect((await missingIn(await session({ provider: 'fixed', groupRef: 'broader' })))?.missingPermissions).toEqual([
      { scope: 'contacts.write', neededFor: [{ ...use, action: 'read' }, ...missingWrite.neededFor] },
    ])
    await asked(['openid'], { metadata: { authQueryParams: { optional_scope: ['contacts.read unused'] } } })
    await connect('fixed', 'optional', 'openid')
    expect((await missingIn(await session({ provider: 'fixed', groupRef: 'optional' })))?.missingPermissions).toEqual([
      missingRead,
    ])
  })

  test('can be asked for again with the token of the session, and nothing else', async () => {
    await asked(['openid', 'contacts.read'])
    const of = await session({ provider: 'fixed', groupRef: 'again' })
    expect(await flowOf((await begin(of, {})).body.url)).not.toMatchObject({ include_granted_scopes: 'true' })
    await grant((await begin(of, {})).body.url, 'openid')
    const connectionId = (await missingIn(of))?.id
    expect((await begin(of, {})).status, 'another account').toBe(403)
    const again = await begin(of, { connectionId })
    expect(again.status, JSON.stringify(again.body)).toBe(200)
    expect(await flowOf(again.body.url)).toMatchObject({
      scope: 'openid contacts.read',
      prompt: 'consent',
      include_granted_scopes: 'true',
    })
    await grant((await begin(of, { connectionId })).body.url, 'openid contacts.read')
    expect(await missingIn(of)).toMatchObject({ id: connectionId })
    expect(await missingIn(of)).not.toHaveProperty('missingPermissions')
    expect((await begin(of, { connectionId })).status, 'all are granted').toBe(403)
  })

  test('are on the page without scripts, which asks again or continues', async () => {
    await asked(['openid', 'contacts.read'])
    const redirectUrl = 'https://app.example.com/connected'
    const of = await session({ provider: 'fixed', groupRef: 'scriptless', redirectUrl })
    const path = `${new URL(of.url).pathname}/form`
    const browser = kit.browser()
    const submit = async () => {
      const onward = await browser.submit(await browser.get(path))
      const { pathname, search } = new URL(onward.headers.get('refresh')?.replace('0;url=', '') ?? '')
      return pathname + search
    }
    /** Follows our address to the provider, and back with this answer. */
    const answerWith = async (start: string, answer: object) => {
      const away = await browser.get(start)
      const state = new URL(away.location ?? '').searchParams.get('state') ?? ''
      kit.server.answerTokens((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ access_token: 'a-token-0123456789', token_type: 'bearer', scope: 'openid' }))
      })
      await browser.get(`/callbacks/v1/oauth?${new URLSearchParams({ state, ...answer })}`)
      kit.server.answerTokens(undefined)
      return await browser.get(path)
    }
    const partial = await answerWith(await submit(), { code: 'a-code' })
    expect(partial.text).toContain('<li>Read your contacts (to read Contacts)</li>')
    expect(partial.headers.get('refresh')).toBeNull()
    const refused = await answerWith(await submit(), { error: 'access_denied' })
    expect(refused.text).toContain('Access to x was not granted.')
    expect(refused.text).toContain('Read your contacts')
    const { headers } = await browser.get(`${path}?without=1`)
    expect(headers.get('refresh')).toContain(`${redirectUrl}?connectionId=`)
  })

  test('are in the message of a window to a known page, and in its text', async () => {
    await asked(['openid', 'contacts.read'])
    const origin = 'https://app.example.com'
    const page = await grant(await kit.begin({ provider: 'fixed', groupRef: 'window' }, { origin }), 'openid')
    expect(page.text).toContain('x did not grant: Read your contacts (to read Contacts).')
    const { message } = JSON.parse(/id="outcome">(.*)<\/script>/.exec(page.text)?.[1] ?? '')
    expect(message.data).toMatchObject({ connection: { provider: 'fixed' }, missingPermissions: [missingRead] })
    const unknown = await grant(await kit.begin({ provider: 'fixed', groupRef: 'window-2' }), 'openid')
    expect(unknown.text).not.toContain('"missingPermissions"')
  })
})

/** Parameters of the authorization URL that an address of ours leads to. */
async function flowOf(url: string): Promise<Record<string, string>> {
  const { pathname, search } = new URL(url)
  const away = await kit.browser().get(pathname + search)
  return Object.fromEntries(new URL(away.location ?? '').searchParams)
}
