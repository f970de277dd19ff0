import type { IncomingMessage, ServerResponse } from 'node:http'
import { checkHealth } from '@mortise/providers'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openConnector, openProviderAccess } from '../calls/index.ts'
import { type ProxyingKit, proxyManifest, startProxyingKit } from './proxying.testkit.ts'

const password = 'the-password-of-the-account'

/** A provider that signs in with a form, and redirects to it once a session has ended. */
const sessions = (url: string) => ({
  sessions: `
name: sessions
baseUrl: '{{url}}/api'
inputs: [{ name: url, displayName: Address, kind: url }]
authentication:
  - scheme: custom
    inputs: [{ name: user }, { name: password }]
    form: { csrf: '{{csrf}}' }
    token:
      cookies: true
      request: { method: POST, url: '{{url}}/login', form: { user: '{{user}}', password: '{{password}}' } }
      success: { when: { ok: true } }
      take: { csrf: csrf }
healthCheck: { path: /me }
errors:
  rules: [{ status: 302, headers: { Location: { matches: '/login$' } }, is: auth_invalidated }]
objects:
  things:
    read: { path: /things, records: data }
    write: { encoding: form, create: { path: /things } }
  # Another host of the provider, which did not set the cookies.
  elsewhere: { read: { base: '${url.replace('127.0.0.1', 'localhost')}', path: /elsewhere, records: data } }
`,
})

let kit: ProxyingKit
let installationId: string
let connectionId: string
/** Number of the session that the provider knows; of sign-ins. */
let current = 0
let signIns = 0
let bodies: string[] = []

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await kit.provider.note(request)).toString()
  const json = (status: number, value: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
  if (request.url === '/login') {
    signIns++
    if (new URLSearchParams(body).get('password') !== password)
      return void json(200, { ok: false, message: `No account with ${body}.` })
    current = signIns
    const cookie = `sid=session-number-${current}; Path=/; HttpOnly`
    return void json(200, { ok: true, csrf: `csrf-number-${current}` }, { 'set-cookie': cookie })
  }
  if (request.url === '/elsewhere') return void json(200, { data: [] })
  const { cookie } = request.headers
  if (cookie !== `sid=session-number-${current}`)
    return void response.writeHead(302, { location: '/login', 'set-cookie': 'sid=none' }).end()
  bodies.push(body)
  json(200, { data: [{ id: 1 }], id: 1, sent: cookie })
}

beforeAll(async () => {
  kit = await startProxyingKit({ files: sessions })
  kit.provider.answers((request, response) => void answer(request, response))
  const integration = '  - { name: sessions, provider: sessions, proxy: { enabled: true } }\n'
  await kit.deploy(`${proxyManifest}${integration}`)
  const installed = await kit.install('sessions', 'acme', { customAuth: { user: 'ada', password } })
  ;({ id: installationId, connectionId } = installed)
})
afterAll(() => kit?.stop())
beforeEach(() => {
  bodies = []
  kit.provider.seen.length = 0
})

/** The provider forgets the session, after the minute in which a new credential that never worked counts as wrong. */
function endSession(): void {
  kit.app.clock.advance(61_000)
  current = -1
}

const openIt = (object: string) =>
  openConnector({ projectId: kit.app.projectId }, kit.app.app.services, connectionId).then(({ connector }) =>
    connector.readPage({ object, fields: 'all' }),
  )

test('the proxy sends the cookies, and passes none on to the caller', async () => {
  const answered = await kit.call(installationId, '/things', { headers: { cookie: 'mine=1' } })
  expect([answered.status, JSON.parse(answered.body.toString()).sent]).toEqual([200, `sid=session-number-${current}`])
  expect(answered.headers['set-cookie']).toBeUndefined()
})

test('many requests after the session has ended share one sign-in', async () => {
  const before = signIns
  endSession()
  const answered = await Promise.all(Array.from({ length: 12 }, () => kit.call(installationId, '/things')))
  expect(answered.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200))
  expect(signIns - before).toBe(1)
})

test('reads, writes and the health check sign in again, and writes carry the token of the new session', async () => {
  const target = { projectId: kit.app.projectId }
  endSession()
  expect((await openIt('things')).records).toHaveLength(1)
  endSession()
  const { connector } = await openConnector(target, kit.app.app.services, connectionId)
  await connector.write({ object: 'things', type: 'create', record: { name: 'a' } })
  expect(bodies.at(-1)).toBe(`name=a&csrf=csrf-number-${current}`)
  endSession()
  const { entry, context, http } = await openProviderAccess(target, kit.app.app.services, connectionId)
  await checkHealth(entry, context, http)
})

test('another host gets no cookie', async () => {
  await openIt('elsewhere')
  expect(kit.provider.seen.map(({ url, headers }) => [url, headers.cookie])).toEqual([['/elsewhere', undefined]])
})

test('cookies are stored encrypted, and in no list', async () => {
  const { rows } = await sql<{ row: string }>`
    select row_to_json(c)::text || row_to_json(k)::text as row from connections c
    join connection_credentials k on k.project_id = c.project_id and k.connection_id = c.id
    where c.id = ${connectionId}`.execute(kit.app.db.sql)
  expect(rows).toHaveLength(1)
  expect(rows[0]?.row).not.toMatch(/session-number|csrf-number/)
  const listed = await kit.app.call('GET', `${kit.base}/connections`)
  expect(JSON.stringify(listed.body)).not.toMatch(/session-number|csrf-number/)
})

test('a wrong password makes no working connection, and is in no answer', async () => {
  const { id } = await kit.made<{ id: string }>('POST', `${kit.base}/connections:generate`, {
    provider: 'sessions',
    groupRef: 'other',
    consumerRef: 'other',
    providerMetadata: { url: kit.provider.url },
    customAuth: { user: 'ada', password: 'a-wrong-password' },
  })
  const opened = await kit.app.app.services.connectionHandles.open(kit.app.projectId, id)
  await expect(opened.authenticate()).rejects.toMatchObject({ name: 'CredentialRefused' })
  const { body } = await kit.app.call('GET', `${kit.base}/connections/${id}`)
  expect(body).toMatchObject({ status: 'bad_credentials' })
  expect(JSON.stringify(body)).not.toContain('a-wrong-password')
})
