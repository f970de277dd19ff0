import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../../../../providers/src/testing/http-server.testkit.ts'
import { authorizationClients } from '../../../testkit/authorization-server.ts'
import { asked, type ConnectingKit, startConnectingKit } from './connecting.testkit.ts'

/**
 * The client secret of the builder's app goes to no host that a customer chose: a real server stands for the one that a
 * customer would like.
 */

interface ProblemBody {
  issues: { name: string; remedy?: string }[]
}

let kit: ConnectingKit
let evil: TestServer
let groups = 0
let groupRef = ''

beforeAll(async () => {
  evil = await startServer(() => ({ body: { access_token: 'evil', expires_in: 1 } }))
  kit = await startConnectingKit({
    providers: ({ origin }) => {
      const scheme = {
        scheme: 'oauth2',
        grantType: 'authorizationCode',
        authUrl: `${origin}/auth`,
        tokenUrl: '{{url}}/token',
      }
      const url = { name: 'url', kind: 'url', hosts: [] }
      const hosts = ['*.crm.example.com', 'login.example.com']
      return {
        own: { baseUrl: origin, inputs: [url], authentication: [scheme], healthCheck: { path: '/me' } },
        listed: {
          baseUrl: origin,
          inputs: [{ name: 'domain', hosts }],
          authentication: [{ ...scheme, authUrl: 'https://{{domain}}/auth', tokenUrl: 'https://{{domain}}/token' }],
        },
        machine: {
          baseUrl: origin,
          inputs: [{ name: 'url', kind: 'url' }],
          authentication: [{ scheme: 'oauth2', grantType: 'clientCredentials', tokenUrl: '{{url}}/token' }],
        },
      }
    },
  })
  expect(kit.app.app.services.catalogue.faults).toEqual([])
})
afterAll(async () => {
  await kit?.stop()
  await evil?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  groupRef = `group-${++groups}`
  evil.seen.length = 0
})

const connect = (provider: string, providerMetadata: object, more = {}) =>
  kit.app.call<ProblemBody & string>(
    'POST',
    '/oauth-connect',
    { ...asked, provider, groupRef, providerMetadata, ...more },
    { apiKey: kit.app.frontendKey },
  )
const imported = (url: string) => ({
  provider: 'own',
  groupRef,
  consumerRef: 'ada',
  providerMetadata: { url },
  oauth2AuthorizationCode: { refreshToken: { token: 'a-refresh-token' } },
})
const generate = (body: object, apiKey = kit.app.frontendKey) =>
  kit.app.call<ProblemBody & { id: string; status: string }>(
    'POST',
    '/projects/default/connections:generate?verify=true',
    body,
    { apiKey },
  )
const allow = (id: string, allowedHosts: string[]) =>
  kit.app.call<ProblemBody>('PATCH', `/projects/default/provider-apps/${id}`, {
    updateMask: ['allowedHosts', 'clientSecret'],
    // A further host would get the stored one.
    providerApp: { allowedHosts, clientSecret: authorizationClients.basic },
  })
const host = (origin: string) => new URL(origin).host

describe('a host that neither the file nor the app names', () => {
  test('is refused before anything begins, and the answer says where to allow it', async () => {
    await kit.makeApp('own')
    const answer = await connect('own', { url: evil.origin })
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ name: 'providerMetadata.url' }] } })
    expect(answer.body.issues[0]?.remedy).toContain('allowedHosts of the provider app')
    expect(evil.seen).toEqual([])
  })

  test('is refused for imported tokens, which the app renews', async () => {
    await kit.makeApp('own')
    expect(await generate(imported(evil.origin))).toMatchObject({
      status: 400,
      body: { issues: [{ name: 'providerMetadata.url' }] },
    })
    expect(evil.seen).toEqual([])
  })

  test('that was allowed once has nothing any more, and the connection heals when it is allowed again', async () => {
    const app = await kit.makeApp('own')
    expect((await allow(app, [host(evil.origin), host(kit.server.origin)])).status).toBe(200)
    const { refreshToken } = await kit.server.issue()
    const tokens = { oauth2AuthorizationCode: { refreshToken: { token: refreshToken } } }
    const made = await generate({ ...imported(kit.server.origin), ...tokens }, kit.app.apiKey)
    expect([made.status, made.body.status]).toEqual([201, 'working'])
    await allow(app, [])
    const path = `/projects/default/connections/${made.body.id}`
    expect((await kit.app.call(`GET`, `${path}?refresh=force`)).body['status']).toBe('bad_credentials')
    await allow(app, [host(kit.server.origin)])
    expect((await kit.app.call('GET', `${path}?refresh=force`)).body['status']).not.toBe('bad_credentials')
    await kit.app.call('DELETE', path)
  })

  test.each([
    'evil.com/',
    'evil.com#',
    'a@evil.com/',
    'x:443/',
    '%2e',
    'login.example.com.',
    '.login.example.com',
    'login.example.com\n',
    'LOGIN.EXAMPLE.COM.evil.com',
    'crm.example.com',
    'evilcrm.example.com',
    'login.example.com:8443',
    'lögin.example.com',
    'http://login.example.com',
  ])('among listed ones, is refused: %j', async (domain) => {
    await kit.makeApp('listed')
    const answer = await connect('listed', { domain })
    expect([answer.status, answer.body.issues.map(({ name }) => name)]).toEqual([400, ['providerMetadata.domain']])
  })
})

test('a listed host is taken, in any case, and so is one that the app allows', async () => {
  const app = await kit.makeApp('listed')
  for (const domain of ['login.example.com', 'acme.crm.example.com', 'Login.Example.com'])
    expect((await connect('listed', { domain })).status, domain).toBe(200)
  expect((await connect('listed', { domain: 'login.acme.example' })).status).toBe(400)
  await allow(app, ['*.acme.example'])
  expect((await connect('listed', { domain: 'login.acme.example' })).status).toBe(200)
})

test('a whole flow runs at a host that the app allows', async () => {
  const app = await kit.makeApp('own')
  await allow(app, [host(kit.server.origin)])
  const url = (await connect('own', { url: kit.server.origin })).body
  const shown = await kit.connect(url)
  expect(shown.status).toBe(200)
  expect(kit.server.tokenRequests.length).toBeGreaterThan(0)
})

test('a customer who brings a client of their own sends it where they say, in the same request', async () => {
  const oauth2ClientCredentials = { clientId: 'mine', clientSecret: 'my-secret' }
  const body = { provider: 'machine', groupRef, consumerRef: 'ada', providerMetadata: { url: evil.origin } }
  expect((await generate({ ...body, oauth2ClientCredentials })).status).toBe(201)
  const sent = JSON.stringify(evil.seen)
  expect(evil.seen.length).toBeGreaterThan(0)
  for (const secret of Object.values(authorizationClients)) expect(sent).not.toContain(secret)
})

test('allowed hosts are names; only keys of scope full see and change them', async () => {
  const id = await kit.makeApp('own')
  const refused = await allow(id, [
    'a.example',
    '*',
    'com',
    'https://a.example',
    'A.example',
    'a.example:443',
    '*.a.example',
  ])
  expect(refused.body.issues.map(({ name }) => name)).toEqual(
    [1, 2, 3, 4, 5].map((at) => `providerApp.allowedHosts[${at}]`),
  )
  expect(await allow(id, ['a.example', 'localhost:4200'])).toMatchObject({
    status: 200,
    body: { allowedHosts: ['a.example', 'localhost:4200'] },
  })
  const list = async (apiKey: string) =>
    JSON.stringify((await kit.app.call('GET', '/projects/default/provider-apps', undefined, { apiKey })).body)
  expect(await list(kit.app.apiKey)).toContain('localhost:4200')
  expect(await list(kit.app.frontendKey)).not.toContain('localhost:4200')
})
