import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../../testkit/browser.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { signInBuilder } from '../../../testkit/test-builder.ts'
import { apiEndpoints } from '../../index.ts'
import { DesktopClient } from './desktop-client.testkit.ts'
import { type ManagementKit, managementKit, type Person } from './management-sign-in.testkit.ts'
import { newSecret } from './secrets.ts'
import { callback, type SignInKit, startSignInKit } from './sign-in.testkit.ts'

/** Sign-in of builders to the MCP server for builders. */

const publicUrl = 'https://mortise.example'
const ada: Person = { email: 'ada@example.com', password: 'correct horse battery' }

let app: TestApp
let kit: ManagementKit
let ofProject: SignInKit
let headers: { authorization: string }
let builderId: string
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_PUBLIC_URL: publicUrl, MORTISE_ROLES: 'api' } })
  kit = managementKit(app, publicUrl)
  ofProject = await startSignInKit(app, publicUrl)
  ;({ headers, builderId } = await signInBuilder(app, { ...ada, role: 'developer' }))
})
afterAll(() => app?.stop())

const json = { 'content-type': 'application/json' }
const message = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
async function send(token: string, body: string, url = kit.mcp) {
  const answer = await kit.fetch(url, { method: 'POST', headers: { ...json, authorization: `Bearer ${token}` }, body })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
const listTools = async (token: string, url?: string) => (await send(token, message('tools/list'), url)).status
const call = async (token: string, name: string, args: object) =>
  JSON.parse((await send(token, message('tools/call', { name, arguments: args }))).text).result as {
    isError?: boolean
    content: { text: string }[]
  }
const sessions = async () =>
  (
    await app.call<{ id: string; kind: string; client?: string; mayChange?: boolean }[]>(
      'GET',
      '/my-info/sessions',
      undefined,
      { apiKey: null, headers },
    )
  ).body.filter(({ kind }) => kind === 'agent')

test('the official client finds the way, signs in, and gets tools that only read', async () => {
  const provider = new DesktopClient()
  const options = { serverUrl: kit.mcp, fetchFn: kit.fetch }
  expect(await auth(provider as never, options)).toBe('REDIRECT')
  const browser = openBrowser(app.url)
  const begun = await kit.follow(browser, provider.opened?.href ?? '')
  expect(begun.location).toMatch(`${publicUrl}/signin/agent?request=`)
  const id = new URL(begun.location ?? '').searchParams.get('request') ?? ''
  const page = await kit.consentPage(browser, id, ada)
  expect(page.text).toContain('<strong>Desk 1</strong>')
  expect(page.text).toContain('<code>127.0.0.1</code>, a program on this computer')
  expect(page.text).toContain('ada@example.com')
  expect(page.text).toMatch(/value="read" checked/)
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:41000;")
  const sent = await kit.decide(browser, page)
  const answer = new URL(sent.location ?? '')
  expect(`${answer.origin}${answer.pathname}`).toBe(callback)
  expect(answer.searchParams.get('iss')).toBe(kit.mcp)
  expect(answer.searchParams.get('state')).toBe('state of the client')
  const code = answer.searchParams.get('code') ?? ''
  expect(await auth(provider as never, { ...options, authorizationCode: code, iss: kit.mcp })).toBe('AUTHORIZED')
  expect(provider.saved?.scope).toBe('read')

  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StreamableHTTPClientTransport(new URL(kit.mcp), {
    authProvider: provider as never,
    fetch: kit.fetch,
  })
  await client.connect(transport as never)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('list_operations')
  expect(tools.map(({ name }) => name)).not.toContain('deploy_manifest')
  const projects = await client.callTool({ name: 'list_projects', arguments: {} })
  expect(JSON.stringify(projects)).toContain(app.projectId)
  await client.close()
})

describe('with consent to changes', () => {
  test('tools change things, and the audit log names the person and the client', async () => {
    const { access_token: token } = await kit.tokens(ada, { access: 'change' })
    const manifest =
      'specVersion: 1.0.0\nintegrations:\n  - name: by-agent\n    provider: hubspot\n    proxy: {enabled: true}\n'
    const planned = await call(token, 'plan_deploy', { project: 'default', text: manifest })
    expect(planned.content[1]?.text).toContain('"change": "added"')
    const deployed = await call(token, 'deploy_manifest', { project: 'default', text: manifest })
    expect([deployed.isError, deployed.content[1]?.text]).toEqual([
      undefined,
      expect.stringContaining('"result": "added"'),
    ])
    const log = await app.call<{ action: string; actor: object; userAgent: string }[]>(
      'GET',
      `/projects/${app.projectId}/audit-log`,
    )
    expect(log.body[0]).toMatchObject({
      actor: { kind: 'person', id: builderId, name: ada.email },
      userAgent: 'Desk (MCP)',
    })
    expect(await sessions()).toContainEqual(expect.objectContaining({ kind: 'agent', client: 'Desk', mayChange: true }))
  })

  test('a viewer can still change nothing', async () => {
    const vera: Person = { email: 'vera@example.com', password: 'correct horse battery' }
    await signInBuilder(app, { ...vera, role: 'viewer' })
    const { access_token: token } = await kit.tokens(vera, { access: 'change' })
    const manifest =
      'specVersion: 1.0.0\nintegrations:\n  - name: by-viewer\n    provider: hubspot\n    proxy: {enabled: true}\n'
    const deployed = await call(token, 'deploy_manifest', { project: 'default', text: manifest })
    expect([deployed.isError, deployed.content[0]?.text]).toEqual([true, expect.stringContaining('developer')])
  })
})

test('without consent to changes, the tools do not exist, and the API refuses the session too', async () => {
  const { access_token: token } = await kit.tokens(ada)
  const refused = await call(token, 'pause_reads', { project: 'default', integration: 'x', group: 'y' })
  expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringContaining('read only')])
  const [session] = await sessions()
  const { accessToken } = await app.app.services.builderTokens.issue({ sessionId: session!.id, builderId, ...ada })
  const asAgent = { apiKey: null, headers: { authorization: `Bearer ${accessToken}` } }
  const created = await app.call('POST', `/projects/${app.projectId}/topics`, { name: 'x' }, asAgent)
  expect([created.status, created.body['detail']]).toEqual([403, expect.stringContaining('read only')])
})

describe('a token', () => {
  let token: string
  beforeAll(async () => {
    token = (await kit.tokens(ada, { access: 'change' })).access_token
  })

  const others = apiEndpoints
    .map(({ declaration }) => declaration)
    .filter(
      ({ access, id }) => access !== 'public' && !id.endsWith('ManagementMessage') && !id.endsWith('ManagementStream'),
    )
  test.each(others.map(({ id, method, path }) => ({ id, method, path })))(
    'does not work for $id',
    async ({ method, path }) => {
      const url = path.replace('{projectIdOrName}', app.projectId).replaceAll(/\{\w+\}/g, 'x')
      const options = { apiKey: null, headers: { authorization: `Bearer ${token}` } }
      const answer = await app.call(method, url, method === 'GET' ? undefined : {}, options)
      expect(answer.status).toBe(401)
    },
  )

  test('works neither at the proxy nor at the server of a project, and the reverse', async () => {
    expect(await listTools(token)).toBe(200)
    expect(await listTools(token, ofProject.mcp)).toBe(401)
    const proxied = {
      apiKey: null,
      headers: { authorization: `Bearer ${token}`, 'x-mortise-project-id': app.projectId },
    }
    expect((await app.call('GET', '//proxy/x', undefined, proxied)).status).toBe(401)
    const { access_token: ofConsumer } = await ofProject.tokens()
    const refused = await send(ofConsumer, message('tools/list'))
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp/v1/manage"`,
    )
  })

  test('ends after a quarter of an hour, and is refreshed', async () => {
    const { access_token: first, refresh_token: refresh, clientId } = await kit.tokens(ada, { access: 'change' })
    app.clock.advance(15 * 60_000 + 1_000)
    expect(await listTools(first)).toBe(401)
    const next = await kit.refresh(clientId, refresh)
    expect(next.body).toMatchObject({ scope: 'read write' })
    expect(await listTools(next.body.access_token)).toBe(200)
    app.clock.set(new Date())
  })
})

describe('a session ends', () => {
  const ended = async (token: string, clientId: string, refresh: string) => [
    await listTools(token),
    (await kit.refresh(clientId, refresh)).body.error,
  ]
  test.each([
    [
      'when the person ends it',
      async () => {
        const [latest] = await sessions()
        const path = `/my-info/sessions/${latest?.id}`
        expect((await app.call('DELETE', path, undefined, { apiKey: null, headers })).status).toBe(204)
      },
    ],
    [
      'when the person ends all other sessions',
      async () => {
        const answer = await app.call('POST', '/my-info/sessions:endOthers', undefined, { apiKey: null, headers })
        expect(answer.status).toBe(200)
      },
    ],
  ])('%s', async (_, end) => {
    const { access_token: token, refresh_token: refresh, clientId } = await kit.tokens(ada)
    expect(await listTools(token)).toBe(200)
    await end()
    expect(await ended(token, clientId, refresh)).toEqual([401, 'invalid_grant'])
  })

  test('when the person gets a new password', async () => {
    const eve: Person = { email: 'eve@example.com', password: 'correct horse battery' }
    const person = await signInBuilder(app, { ...eve, role: 'developer' })
    const { access_token: token, refresh_token: refresh, clientId } = await kit.tokens(eve)
    expect(await listTools(token)).toBe(200)
    const body = { currentPassword: eve.password, newPassword: 'staple battery horse correct' }
    const answer = await app.call('POST', '/my-info/password', body, { apiKey: null, headers: person.headers })
    expect(answer.status, JSON.stringify(answer.body)).toBe(204)
    expect(await ended(token, clientId, refresh)).toEqual([401, 'invalid_grant'])
  })

  test('with the last membership of the person, and with the account', async () => {
    const bob: Person = { email: 'bob@example.com', password: 'correct horse battery' }
    const { builderId: bobId } = await signInBuilder(app, { ...bob, role: 'developer' })
    const { access_token: token, refresh_token: refresh, clientId } = await kit.tokens(bob)
    const { system } = app.testDatabase.database
    expect((await call(token, 'list_integrations', { project: 'default' })).isError).toBeUndefined()
    await system.deleteFrom('memberships').where('builder_id', '=', bobId).execute()
    app.clock.advance(10_000)
    expect(await listTools(token)).toBe(401)
    await system.deleteFrom('builders').where('id', '=', bobId).execute()
    expect(await ended(token, clientId, refresh)).toEqual([401, 'invalid_grant'])
  })

  test('when the client revokes it', async () => {
    const before = (await sessions()).length
    const { access_token: token, refresh_token: refresh, clientId } = await kit.tokens(ada)
    expect(await sessions()).toHaveLength(before + 1)
    expect((await kit.form('revoke', { token: refresh, client_id: clientId })).status).toBe(200)
    expect(await ended(token, clientId, refresh)).toEqual([401, 'invalid_grant'])
    expect(await sessions()).toHaveLength(before)
  })

  test('when concurrent requests exchange its code, and is in no list', async () => {
    const before = (await sessions()).length
    const begun = await kit.code(ada)
    const answers = await Promise.all(Array.from({ length: 4 }, () => kit.exchange(begun)))
    for (const { status, body } of answers) if (status === 200) expect(await listTools(body.access_token)).toBe(401)
    expect(await sessions()).toHaveLength(before)
  })

  test('when a code or a refresh token is used twice', async () => {
    const begun = await kit.code(ada)
    const first = await kit.exchange(begun)
    expect((await kit.exchange(begun)).body.error).toBe('invalid_grant')
    expect(await listTools(first.body.access_token)).toBe(401)
    const { refresh_token: used, clientId } = await kit.tokens(ada)
    const second = await kit.refresh(clientId, used)
    expect(await listTools(second.body.access_token)).toBe(200)
    expect((await kit.refresh(clientId, used)).body.error).toBe('invalid_grant')
    expect(await listTools(second.body.access_token)).toBe(401)
  })
})

describe('refuses', () => {
  test('a decision from another site, from another browser, or a second time', async () => {
    const begun = await kit.begin()
    const page = await kit.consentPage(begun.browser, begun.id, ada)
    const evil = { action: '/signin/agent', headers: { origin: 'https://evil.example' } }
    expect((await begun.browser.submit(page, { decision: 'connect' }, evil)).status).toBe(403)
    const other = openBrowser(app.url)
    expect((await other.get(`/signin/agent?request=${begun.id}`)).status).toBe(400)
    const elsewhere = await kit.begin()
    const theirs = await kit.consentPage(elsewhere.browser, elsewhere.id, ada)
    const swapped = await elsewhere.browser.submit(
      { ...theirs, text: theirs.text.replace(elsewhere.id, begun.id) },
      { decision: 'connect' },
      { action: '/signin/agent', headers: { origin: publicUrl } },
    )
    expect(swapped.status).toBe(400)
    expect((await kit.decide(begun.browser, page)).status).toBe(303)
    expect((await kit.decide(begun.browser, page)).status).toBe(400)
  })

  test('hostile ids', async () => {
    const { browser } = await kit.begin()
    for (const id of ['', 'x', '%00', "'", newSecret(), 'x'.repeat(3_000)])
      expect((await browser.get(`/signin/agent?request=${id}`)).status).toBe(400)
  })

  test('and tells the client that the person refused', async () => {
    const begun = await kit.begin()
    const page = await kit.consentPage(begun.browser, begun.id, ada)
    const sent = await kit.decide(begun.browser, page, { decision: 'refuse' })
    const answer = new URL(sent.location ?? '')
    expect([answer.searchParams.get('error'), answer.searchParams.get('code')]).toEqual(['access_denied', null])
  })

  test('a code of somebody who has signed out since', async () => {
    const begun = await kit.code(ada)
    const page = await begun.browser.get('/signin/done')
    expect(page.status).toBe(200)
    await begun.browser.submit(page, {}, { action: '/signin/out', headers: { origin: publicUrl } })
    expect((await kit.exchange(begun)).body.error).toBe('invalid_grant')
  })

  test('requests for another resource, without PKCE, or to another address', async () => {
    const clientId = await kit.register()
    for (const change of [
      { resource: ofProject.mcp },
      { resource: undefined },
      { resource: `${publicUrl}/v1` },
      { code_challenge: undefined },
      { code_challenge_method: 'plain' },
      { redirect_uri: 'https://evil.example/callback' },
    ])
      expect((await kit.authorize(clientId, { change })).shown.status).toBe(400)
    const begun = await kit.code(ada)
    expect((await kit.exchange(begun, { resource: ofProject.mcp })).body.error).toBe('invalid_target')
    expect((await kit.exchange(begun, { code_verifier: newSecret() })).body.error).toBe('invalid_grant')
    expect((await kit.exchange(begun)).body.error).toBe('invalid_grant')
  })

  test('clients and codes of a project', async () => {
    const clientId = await ofProject.register()
    expect((await kit.authorize(clientId)).shown.status).toBe(400)
    const begun = await ofProject.code()
    const answer = await kit.exchange({ ...begun, clientId: await kit.register() })
    expect(answer.body.error).toBe('invalid_grant')
  })
})
