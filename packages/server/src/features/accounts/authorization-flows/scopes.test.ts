import { afterAll, beforeAll, expect, test } from 'vitest'
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
const rules = { scopeIncludes: { 'contacts.write': ['contacts.read'] } }
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

function manifest(provider: string): string {
  const read = [{ objectName: 'contacts', destination: 'hook', schedule: '0 3 * * *', optionalFieldsAuto: 'all' }]
  const integration = {
    name: provider,
    provider,
    read: { objects: read },
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
