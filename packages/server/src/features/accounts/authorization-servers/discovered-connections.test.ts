import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { base, type DiscoveryKit, startDiscoveryKit } from './discovery.testkit.ts'

let kit: DiscoveryKit
beforeAll(async () => {
  kit = await startDiscoveryKit()
})
afterAll(() => kit?.stop())

const search = { word: 'call', owner: 'acme' }
const hour = 3_600_000

test('an account of an MCP server is connected with nothing but its address', async () => {
  const { status, body } = await kit.start('acme')
  expect([status, body.outcome]).toEqual([200, 'redirect'])
  const { authorizationUrl } = await kit.open(body.url)
  const asked = new URL(authorizationUrl)
  expect(asked.origin + asked.pathname).toBe(`${kit.mcp.url}/authorize`)
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    client_id: kit.mcp.authorization.registered[0],
    redirect_uri: 'http://connect.localhost:4100/callbacks/v1/oauth',
    resource: `${kit.mcp.url}/mcp`,
    scope: 'notes.read offline_access',
    prompt: 'consent',
    code_challenge_method: 'S256',
  })
  expect(await kit.connect('acme')).toMatchObject({ status: 'working' })
  await kit.install('acme')
  const { isError, content } = await kit.call('acme', 'search_notes', search)
  expect([isError, JSON.stringify(content)]).toEqual([false, expect.stringContaining('Call Ada')])
})

test('a project registers once, and what it got is encrypted', async () => {
  const registered = kit.mcp.authorization.registered.length
  await Promise.all(['b', 'c', 'd'].map((group) => kit.connect(group)))
  expect(kit.mcp.authorization.registered).toHaveLength(registered)
  const { rows } = await sql<object>`select * from client_registrations`.execute(kit.app.db.sql)
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(kit.mcp.authorization.registered[0])
})

test('concurrent first authorizations share a registration', async () => {
  const registered = kit.mcp.authorization.registered.length
  await sql`delete from client_registrations`.execute(kit.app.db.sql)
  await Promise.all(['e', 'f', 'g'].map((group) => kit.start(group)))
  expect(kit.mcp.authorization.registered).toHaveLength(registered + 1)
})

test('a token that expires is renewed, for the same resource and client', async () => {
  await kit.connect('renewed')
  await kit.install('renewed')
  kit.app.clock.advance(2 * hour)
  expect((await kit.call('renewed', 'search_notes', search)).isError).toBe(false)
  expect(kit.mcp.authorization.tokenRequests.at(-1)).toMatchObject({
    grant_type: 'refresh_token',
    resource: `${kit.mcp.url}/mcp`,
  })
  expect((await kit.connection('renewed')).status).toBe('working')
})

test('a server that asks for another scope marks the connection, until it is authorized again', async () => {
  const { id } = await kit.connect('scoped')
  await kit.install('scoped')
  expect((await kit.call('scoped', 'add_note', { title: 'a' })).isError).toBe(true)
  const marked = {
    status: 'bad_credentials',
    lastCheck: {
      outcome: 'refused',
      reason:
        'The MCP server requires the scope notes.write, which the account has not granted. Authorize the account again.',
    },
  }
  expect(await kit.connection('scoped')).toMatchObject(marked)

  // Requests that need less still work, and change nothing about it. Nor does another token.
  expect((await kit.call('scoped', 'search_notes', search)).isError).toBe(false)
  kit.app.clock.advance(2 * hour)
  expect((await kit.call('scoped', 'search_notes', search)).isError).toBe(false)
  await kit.app.call('POST', `${base}/connections/${id}:test`)
  expect(await kit.connection('scoped')).toMatchObject(marked)

  const { status, body } = await kit.app.call<string>('PATCH', `${base}/connections/${id}:oauth-update`)
  expect(status).toBe(200)
  const { authorizationUrl } = await kit.open(body)
  expect(new URL(authorizationUrl).searchParams.get('scope')?.split(' ').sort()).toEqual([
    'notes.read',
    'notes.write',
    'offline_access',
  ])
  const again = await kit.app.call<string>('PATCH', `${base}/connections/${id}:oauth-update`)
  expect((await kit.finish(again.body)).status).toBe(200)
  expect(await kit.connection('scoped')).toMatchObject({ id, status: 'working' })
  expect((await kit.call('scoped', 'add_note', { title: 'a' })).isError).toBe(false)
})

test('a client that the server has forgotten is registered again', async () => {
  const { id } = await kit.connect('forgotten')
  await kit.install('forgotten')
  const pending = await kit.start('pending')
  const { browser, authorizationUrl } = await kit.open(pending.body.url)
  const back = new URL(await kit.mcp.authorization.allow(authorizationUrl))
  kit.mcp.authorization.forgetClients()

  // A code belongs to its client.
  const ended = await browser.get(back.pathname + back.search)
  expect([ended.status, ended.text]).toEqual([400, expect.stringContaining('no longer knows this application')])
  const registered = kit.mcp.authorization.registered.length
  expect(await kit.connect('pending')).toMatchObject({ status: 'working' })
  expect(kit.mcp.authorization.registered).toHaveLength(registered + 1)

  // A refresh token does, too: the person of the account must authorize it again.
  kit.app.clock.advance(2 * hour)
  expect((await kit.call('forgotten', 'search_notes', search)).isError).toBe(true)
  expect(await kit.connection('forgotten')).toMatchObject({
    status: 'bad_credentials',
    lastCheck: { reason: 'The provider no longer knows this application. Authorize the account again.' },
  })
  const again = await kit.app.call<string>('PATCH', `${base}/connections/${id}:oauth-update`)
  expect((await kit.finish(again.body)).status).toBe(200)
  expect(await kit.connection('forgotten')).toMatchObject({ id, status: 'working' })
  expect(kit.mcp.authorization.registered).toHaveLength(registered + 1)
})

test('a renewal that the server refuses forgets the registration', async () => {
  await kit.connect('lost')
  await kit.install('lost')
  kit.mcp.authorization.forgetClients()
  kit.app.clock.advance(2 * hour)
  expect((await kit.call('lost', 'search_notes', search)).isError).toBe(true)
  const { rows } = await sql`select from client_registrations`.execute(kit.app.db.sql)
  expect(rows).toHaveLength(0)
})

test('a registration that nobody has used for a month is made again', async () => {
  await kit.connect('month')
  const registered = kit.mcp.authorization.registered.length
  kit.app.clock.advance(29 * 24 * hour)
  await kit.connect('month')
  kit.app.clock.advance(29 * 24 * hour)
  await kit.connect('month')
  expect(kit.mcp.authorization.registered).toHaveLength(registered)
  kit.app.clock.advance(31 * 24 * hour)
  await kit.connect('month')
  expect(kit.mcp.authorization.registered).toHaveLength(registered + 1)
})

test('a server that takes client ID metadata documents gets one, if this service is at an https address', async () => {
  const secure = await startDiscoveryKit({}, 'https://connect.example.com')
  try {
    const clientId = `https://connect.example.com/callbacks/v1/oauth/clients/${secure.app.projectId}`
    const { body } = await secure.start('acme')
    const { authorizationUrl } = await secure.open(body.url)
    expect(new URL(authorizationUrl).searchParams.get('client_id')).toBe(clientId)
    expect(await secure.connect('acme')).toMatchObject({ status: 'working' })
    expect(secure.mcp.authorization.registered).toHaveLength(0)
    const document = await secure.app.call('GET', `/${new URL(clientId).pathname}`, undefined, { apiKey: null })
    expect([document.status, document.headers.get('content-type'), document.body]).toEqual([
      200,
      expect.stringContaining('application/json'),
      {
        client_id: clientId,
        client_name: 'Mortise',
        client_uri: 'https://connect.example.com',
        redirect_uris: ['https://connect.example.com/callbacks/v1/oauth'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        application_type: 'web',
        token_endpoint_auth_method: 'none',
      },
    ])
    await secure.install('acme')
    secure.app.clock.advance(2 * hour)
    expect((await secure.call('acme', 'search_notes', search)).isError).toBe(false)
  } finally {
    await secure.stop()
  }
})

test('a server that takes neither needs a provider app, and the app only at hosts that it allows', async () => {
  const closed = await startDiscoveryKit({ documents: false, registration: false })
  try {
    expect(await closed.start('acme')).toMatchObject({
      status: 422,
      body: {
        context: { code: 'authorization-server-unusable' },
        detail: expect.stringContaining('to create a provider app'),
      },
    })
    const app = { provider: 'sampleMcpOAuth', clientId: 'known', clientSecret: 'secret', scopes: ['notes.write'] }
    const made = await closed.app.call<{ id: string }>('POST', `${base}/provider-apps`, app)
    const body = {
      projectIdOrName: 'default',
      provider: 'sampleMcpOAuth',
      groupRef: 'acme',
      consumerRef: 'ada',
      providerMetadata: { url: closed.mcp.url },
      providerAppId: made.body.id,
      enableCSRFProtection: false,
    }
    const refused = await closed.app.call('POST', '/oauth-connect', body)
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ name: 'providerAppId' }] } })
    await closed.app.call('PATCH', `${base}/provider-apps/${made.body.id}`, {
      updateMask: ['allowedHosts', 'clientSecret'],
      providerApp: { allowedHosts: [new URL(closed.mcp.url).host], clientSecret: 'secret' },
    })
    const { status, body: url } = await closed.app.call<string>('POST', '/oauth-connect', body)
    expect(status).toBe(200)
    const { searchParams } = new URL(url)
    expect([searchParams.get('client_id'), searchParams.get('scope')]).toEqual(['known', 'notes.write offline_access'])
  } finally {
    await closed.stop()
  }
})
