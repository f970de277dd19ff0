import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Answer,
  startServer,
  type TestServer,
} from '../../../../../../providers/src/testing/http-server.testkit.ts'
import { connectProviders } from '../connect-page/connect-page.testkit.ts'
import { type ConnectingKit, startConnectingKit } from '../connecting.testkit.ts'

/** What a form says of a provider and of its values, and which values it refuses. */

let kit: ConnectingKit
let provider: TestServer
let answers: Record<string, () => Answer>
let groups = 0
let groupRef = ''
beforeAll(async () => {
  provider = await startServer(({ url }) => answers[url.pathname]?.() ?? { status: 404 })
  kit = await startConnectingKit({ providers: (server) => connectProviders(provider.origin, server) })
  await kit.makeApp('several')
}, 60_000)
afterAll(async () => {
  await kit?.stop()
  await provider?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  groupRef = `forms-${++groups}`
  answers = {}
})

interface Problem {
  issues?: { name: string; detail: string }[]
}
const info = '/projects/default/connect-info'

async function session(body: object): Promise<string> {
  const path = '/projects/default/connect-sessions'
  const answer = await kit.app.call<{ token: string }>('POST', path, { groupRef, consumerRef: 'ada', ...body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.token
}
const as = <T = Record<string, unknown>>(token: string, method: string, path: string, body?: unknown) =>
  kit.app.call<T>(method, path, body, { apiKey: null, headers: { authorization: `Bearer ${token}` } })
const connect = (token: string, name: string, body: object) =>
  as<Problem>(token, 'POST', `${info}/providers/${name}:connect`, body)

describe('a form', () => {
  test('names the page that asks, and what it asks for', async () => {
    const token = await session({ provider: 'several' })
    const { body } = await as(token, 'GET', `${info}/providers/several`)
    expect(body['methods']).toMatchObject([
      {
        kind: 'oauth2',
        fields: [],
        // The API is at another host than the authorization server.
        host: new URL(kit.server.origin).host,
        scopes: [
          { name: 'openid' },
          { name: 'offline_access' },
          { name: 'contacts.read', description: 'Read your contacts' },
        ],
      },
      { kind: 'fields', host: new URL(provider.origin).host },
    ])
  })

  test.each([
    ['zendeskSupport', undefined],
    ['hubspot', 'app.hubspot.com'],
  ])('of %s names the host of the page only if it is known', async (name, host) => {
    await kit.makeApp(name)
    const query = `?groupRef=${groupRef}&consumerRef=ada`
    const { body } = await kit.app.call<{ methods: { kind: string; host?: string }[] }>(
      'GET',
      `${info}/providers/${name}${query}`,
    )
    expect(body.methods.find(({ kind }) => kind === 'oauth2')?.host).toBe(host)
  })
})

describe('values', () => {
  test('shows how values look, and refuses others together before the provider is asked', async () => {
    const token = await session({ purpose: 'manage', provider: 'formed' })
    const form = await as<{ methods: { fields: object[] }[] }>(token, 'GET', `${info}/providers/formed`)
    expect(form.body.methods[0]?.fields).toMatchObject([
      { name: 'providerMetadata.site', example: 'acme', pattern: '[a-z]+' },
      { name: 'apiKey', help: 'From your profile.', example: 'key-abc123', pattern: 'key-[a-z0-9]+' },
    ])
    let asked = 0
    answers['/me'] = () => ({ status: ++asked > 0 ? 200 : 500, body: {} })
    const secretValues = { 'providerMetadata.site': 'acme.example', apiKey: 'typed-in-vain' }
    const wrong = await connect(token, 'formed', { scheme: 'apiKey', values: secretValues })
    expect([wrong.status, wrong.body.issues?.map(({ name, detail }) => [name, detail])]).toEqual([
      400,
      [
        ['values.providerMetadata.site', 'Enter a value like acme.'],
        ['values.apiKey', 'Enter a value like key-abc123.'],
      ],
    ])
    const custom = {
      'providerMetadata.site': 'acme',
      'customAuth.account': 'typed-in-vain',
      'customAuth.token': `${'t'.repeat(10_000)}!`,
    }
    const others = await connect(token, 'formed', { scheme: 'custom', values: custom })
    expect([others.status, others.body.issues?.map(({ name }) => name)]).toEqual([
      400,
      ['values.customAuth.account', 'values.customAuth.token'],
    ])
    expect(JSON.stringify([wrong.body.issues, others.body])).not.toMatch(/typed-in-vain|ttt/)
    expect(asked).toBe(0)
    const good = { scheme: 'apiKey', values: { 'providerMetadata.site': 'acme', apiKey: 'key-1' } }
    expect((await connect(token, 'formed', good)).status).toBe(200)
  })

  test('the same patterns hold for connections that a server generates and changes', async () => {
    const path = '/projects/default/connections'
    const body = { provider: 'formed', groupRef, consumerRef: 'ada', providerMetadata: { site: 'A' }, apiKey: 'vain' }
    const refused = await kit.app.call<Problem>('POST', `${path}:generate`, body)
    expect([refused.status, refused.body.issues?.map(({ name }) => name)]).toEqual([
      400,
      ['providerMetadata.site', 'apiKey'],
    ])
    expect(JSON.stringify(refused.body)).not.toContain('vain')
    const good = { ...body, providerMetadata: { site: 'acme' }, apiKey: 'key-1' }
    const { body: connection } = await kit.app.call<{ id: string }>('POST', `${path}:generate`, good)
    const change = { updateMask: ['apiKey'], connection: { apiKey: 'vain' } }
    const changed = await kit.app.call<Problem>('PATCH', `${path}/${connection.id}`, change)
    expect([changed.status, changed.body.issues?.map(({ name }) => name)]).toEqual([400, ['connection.apiKey']])
    expect(JSON.stringify(changed.body)).not.toContain('vain')
  })
})
