import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'

/** The events of Mailgun, Dropbox and WhatsApp at their URLs. No node delivers them, so that they can be counted. */

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
  await call('POST', '/destinations', { name: 'hook', type: 'webhook', metadata: { url: 'https://receiver.example/' } })
})
afterAll(async () => {
  await app?.stop()
})

async function call<T = Record<string, string>>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await app.call<T>(method, `/projects/default${path}`, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

interface Subscribed {
  id: string
  integrationId: string
}

const apps: object[] = []

/** Deploys an integration that subscribes to an object, connects a group and installs. */
async function install(
  provider: string,
  objectName: string,
  { connection = {}, manifest = {}, config = {} }: { connection?: object; manifest?: object; config?: object } = {},
): Promise<Subscribed> {
  const subscribe = { objects: [{ objectName, destination: 'hook', createEvent: { enabled: 'always' } }] }
  const integration = { name: provider, provider, subscribe, ...manifest }
  apps.push(integration)
  await call('PUT', '/integrations:batch', { sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations: apps }) })
  const { id: connectionId } = await call('POST', '/connections:generate', {
    groupRef: provider,
    consumerRef: provider,
    provider,
    ...connection,
  })
  return call<Subscribed & Record<string, string>>('POST', `/integrations/${provider}/installations`, {
    groupRef: provider,
    connectionId,
    config: { content: { provider, ...config } },
  })
}

const seconds = () => Math.floor(app.clock.now().getTime() / 1_000)
const hmac = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('hex')
const pathOf = ({ integrationId }: Pick<Subscribed, 'integrationId'>) =>
  `/subscribe/v1/projects/${app.projectId}/integrations/${integrationId}`

async function send(path: string, body: object, headers: Record<string, string> = {}): Promise<number> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
  return (await fetch(`${app.url}${path}`, init)).status
}

interface Stored {
  account: string | null
  name: string
  record_id: string | null
  raw: string
}

async function stored({ integrationId }: Pick<Subscribed, 'integrationId'>): Promise<Stored[]> {
  const { rows } = await sql<Stored>`select account, name, record_id, raw from inbound_events
    where integration_id = ${integrationId} order by create_time, id`.execute(app.db.sql)
  return rows
}

it('a token of Mailgun counts once, whatever comes with it', async () => {
  const installed = await install('mailgun', 'events', {
    connection: { basicAuth: { username: 'api', password: 'key' } },
  })
  const path = `${pathOf(installed)}/installations/${installed.id}`
  await call('PUT', `/integrations/mailgun/installations/${installed.id}/webhook-secret`, { secret: 'a-signing-key' })
  let tokens = 0
  const signature = ({ at = seconds(), secret = 'a-signing-key', token = `token${++tokens}` } = {}) => ({
    timestamp: `${at}`,
    token,
    signature: hmac(`${at}${token}`, secret),
  })
  const event = (id: string, name = 'delivered') => ({ 'event-data': { event: name, id, timestamp: seconds() } })
  const signed = signature()
  expect(await send(path, { signature: signed, ...event('e1') })).toBe(200)
  // Somebody who has seen the request sends it again, the same or changed.
  for (const again of [event('e1'), event('e2'), event('e3', 'complained')])
    for (const query of ['', '?registration=0198c0de-0000-7000-8000-000000000000'])
      expect(await send(`${path}${query}`, { signature: signed, ...again })).toBe(200)
  expect(await send(path, { signature: signature(), ...event('e4') })).toBe(200)
  for (const wrong of [
    signature({ secret: 'another-key' }),
    { ...signature(), token: 'another' },
    signature({ at: seconds() - 30_601 }),
    signature({ at: seconds() + 30_660 }),
    { ...signature(), signature: null },
    {},
    'signature',
    null,
  ])
    expect([wrong, await send(path, { signature: wrong, ...event('forged') })]).toEqual([wrong, 401])
  for (const body of [{ signature: signature() }, { signature: signature(), 'event-data': 'text' }])
    expect(await send(path, body)).toBe(200)
  const events = await stored(installed)
  expect(events).toMatchObject([
    { name: 'delivered', record_id: 'e1' },
    { name: 'delivered', record_id: 'e4' },
  ])
  expect(JSON.stringify(events)).not.toContain('signature')
})

it('a notification of Dropbox names accounts, and the check of the URL gets its text', async () => {
  await call('POST', '/provider-apps', { provider: 'dropbox', clientId: 'client', clientSecret: 'an-app-secret' })
  const manifest = {
    read: { objects: [{ objectName: 'files', destination: 'hook', schedule: '0 0 29 2 *' }] },
  }
  const connection = {
    providerWorkspaceRef: 'dbid:A',
    oauth2AuthorizationCode: { accessToken: { token: 'token' }, refreshToken: { token: 'refresh' } },
  }
  const installed = await install('dropbox', 'files', {
    manifest,
    connection,
    config: { read: { objects: { files: {} } } },
  })
  const path = pathOf(installed)
  const check = await fetch(`${app.url}${path}?challenge=%3Cscript%3Ealert(1)`)
  expect([check.status, await check.text()]).toEqual([200, '<script>alert(1)'])
  expect(check.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(check.headers.get('x-content-type-options')).toBe('nosniff')
  expect((await fetch(`${app.url}${path}`)).status).toBe(404)

  const body = { list_folder: { accounts: ['dbid:A', 'dbid:B'] }, delta: { users: [1] } }
  const signedBy = (secret: string) => ({ 'x-dropbox-signature': hmac(JSON.stringify(body), secret) })
  for (const headers of [{}, signedBy('another'), { 'x-dropbox-signature': '' }])
    expect(await send(path, body, headers)).toBe(401)
  expect(await send(path, { ...body, more: 1 }, signedBy('an-app-secret'))).toBe(401)
  // The same notification again is another change.
  for (let times = 0; times < 2; times++) expect(await send(path, body, signedBy('an-app-secret'))).toBe(200)
  const accounts = ['dbid:A', 'dbid:B', 'dbid:A', 'dbid:B']
  const events = await stored(installed)
  expect(events.map(({ account }) => account).toSorted()).toEqual(accounts.toSorted())
  expect(new Set(events.map(({ name }) => name))).toEqual(new Set(['files.changed']))
})

it('WhatsApp checks the URL with the token of the app, and each message of a batch is an event of its account', async () => {
  await call('POST', '/provider-apps', {
    provider: 'meta',
    clientId: 'client',
    clientSecret: 'an-app-secret',
    metadata: { providerParams: { webhookVerifyToken: 'a-verify-token' } },
  })
  const connection = {
    providerMetadata: { whatsappAccountId: '1001', whatsappPhoneNumberId: '2002' },
    oauth2AuthorizationCode: { accessToken: { token: 'token' } },
  }
  const manifest = { module: 'whatsapp' }
  const installed = await install('meta', 'messages', { manifest, connection })
  const path = pathOf(installed)
  const check = (token: string) =>
    fetch(`${app.url}${path}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`)
  const right = await check('a-verify-token')
  expect([right.status, await right.text()]).toEqual([200, '1158201444'])
  for (const token of ['guessed', '', 'a-verify-token2', 'an-app-secret']) expect((await check(token)).status).toBe(404)
  expect(JSON.stringify(await call('GET', '/provider-apps'))).not.toContain('a-verify-token')

  const value = {
    metadata: { phone_number_id: '2002' },
    messages: [
      { id: 'm1', from: '1' },
      { id: 'm2', from: '1' },
    ],
    statuses: [{ id: 'm0', status: 'read' }],
  }
  const body = { object: 'whatsapp_business_account', entry: [{ id: '1001', changes: [{ field: 'messages', value }] }] }
  const signedBy = (secret: string, of: object = body) => ({
    'x-hub-signature-256': `sha256=${hmac(JSON.stringify(of), secret)}`,
  })
  expect(await send(path, body, signedBy('another'))).toBe(401)
  expect(await send(path, { ...body, more: 1 }, signedBy('an-app-secret'))).toBe(401)
  for (let times = 0; times < 2; times++) expect(await send(path, body, signedBy('an-app-secret'))).toBe(200)
  expect(await stored(installed)).toMatchObject([
    { name: 'messages', record_id: 'm1', account: '1001' },
    { name: 'messages', record_id: 'm2', account: '1001' },
    { name: 'messages.read', record_id: 'm0', account: '1001' },
  ])

  // Copies of what many messages share do not fill the memory.
  const many = { ...value, contacts: 'x'.repeat(500_000), messages: Array.from({ length: 4_000 }, (_, id) => ({ id })) }
  const large = { entry: [{ id: '1001', changes: [{ field: 'messages', value: many }] }] }
  expect(await send(path, large, signedBy('an-app-secret', large))).toBe(400)
  for (const odd of [{}, [], { entry: 1 }, { entry: [null, { changes: 'x' }, { changes: [null, 7, { value: [] }] }] }])
    expect([odd, await send(path, odd, signedBy('an-app-secret', odd))]).toEqual([odd, 200])
  expect(await stored(installed)).toHaveLength(3)
})
