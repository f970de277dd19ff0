import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { agentSessionsTicks } from './index.ts'
import { newSecret } from './secrets.ts'
import { type SignInKit, startSignInKit } from './sign-in.testkit.ts'

const publicUrl = 'https://mortise.example'

interface SessionBody {
  id: string
  clientName: string
  clientId: string
  groupRef: string
  consumerRef: string
  createTime: string
  refreshTime?: string
  expireTime: string
}

let app: TestApp
let kit: SignInKit
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PUBLIC_URL: publicUrl } })
  kit = await startSignInKit(app, publicUrl)
})
afterAll(() => app?.stop())

const base = () => `/projects/${app.projectId}`
const sessions = async (query = '') => (await app.call<SessionBody[]>('GET', `${base()}/agent-sessions${query}`)).body
const isValid = async (token: string) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const { status } = await kit.fetch(kit.mcp, { method: 'POST', headers, body })
  if (status !== 200 && status !== 401) throw new Error(`unexpected status ${status}`)
  return status === 200
}

test('sessions are listed by group and consumer, in pages, without a secret', async () => {
  for (const consumerRef of ['ada', 'bea', 'cyd']) await kit.tokens({ groupRef: 'listed', consumerRef })
  await kit.tokens({ groupRef: 'unlisted', consumerRef: 'ada' })
  const listed = await sessions('?groupRef=listed')
  expect(listed.map(({ consumerRef }) => consumerRef)).toEqual(['cyd', 'bea', 'ada'])
  expect(Object.keys(listed[0]!).toSorted()).toEqual(
    ['clientId', 'clientName', 'consumerRef', 'createTime', 'expireTime', 'groupRef', 'id'].toSorted(),
  )
  expect(await sessions('?groupRef=listed&consumerRef=bea')).toHaveLength(1)
  const first = await app.call<SessionBody[]>('GET', `${base()}/agent-sessions?groupRef=listed&pageSize=2`)
  const next = first.headers.get('x-next-page-token')
  const second = await sessions(`?groupRef=listed&pageSize=2&pageToken=${next}`)
  expect([...first.body, ...second]).toEqual(listed)
  const { id: project, apiKey } = app.otherProject
  expect((await app.call('GET', `/projects/${project}/agent-sessions`, undefined, { apiKey })).body).toEqual([])
})

test('a deleted session ends immediately, and its entry is in the audit log', async () => {
  const tokens = await kit.tokens({ groupRef: 'ended' })
  const [session] = await sessions('?groupRef=ended')
  const { id: project, apiKey } = app.otherProject
  const path = (id: string) => `/projects/${id}/agent-sessions/${session!.id}`
  expect((await app.call('DELETE', path(project), undefined, { apiKey })).status).toBe(404)
  expect(await isValid(tokens.access_token)).toBe(true)
  expect((await app.call('DELETE', path(app.projectId))).status).toBe(204)
  expect(await isValid(tokens.access_token)).toBe(false)
  expect((await kit.refresh(tokens.clientId, tokens.refresh_token)).body.error).toBe('invalid_grant')
  expect((await app.call('DELETE', path(app.projectId))).status).toBe(404)
  const entries = await app.call<{ action: string; resource?: { id?: string } }[]>('GET', `${base()}/audit-log`)
  const actions = JSON.stringify(entries.body)
  for (const verb of ['completeAgentSignIn', 'exchangeAgentToken', 'deleteAgentSession'])
    expect(actions, verb).toContain(verb)
})

test('a client signs out with either token, and nobody else does', async () => {
  const one = await kit.tokens()
  const two = await kit.tokens()
  expect((await kit.form('revoke', { token: one.access_token, client_id: two.clientId })).status).toBe(200)
  expect((await kit.form('revoke', { token: newSecret(), client_id: one.clientId })).status).toBe(200)
  expect(await isValid(one.access_token)).toBe(true)
  expect((await kit.form('revoke', { token: one.access_token, client_id: one.clientId })).status).toBe(200)
  expect((await kit.form('revoke', { token: two.refresh_token, client_id: two.clientId })).status).toBe(200)
  expect([await isValid(one.access_token), await isValid(two.access_token)]).toEqual([false, false])
  expect((await kit.form('revoke', {})).body.error_description).toContain('token, client_id')
})

test('a session ends with its consumer or its group, and so does a sign-in', async () => {
  const ofConsumer = await kit.tokens({ groupRef: 'stays', consumerRef: 'leaves' })
  const waiting = await kit.code({ groupRef: 'stays', consumerRef: 'leaves' })
  const ofGroup = await kit.tokens({ groupRef: 'leaves', consumerRef: 'stays' })
  expect((await app.call('DELETE', `${base()}/consumers/leaves`)).status).toBe(204)
  expect((await app.call('DELETE', `${base()}/groups/leaves`)).status).toBe(204)
  expect([await isValid(ofConsumer.access_token), await isValid(ofGroup.access_token)]).toEqual([false, false])
  expect((await kit.exchange(waiting)).body.error).toBe('invalid_grant')
})

test('a session ends after 30 days without use, and after 90 days in all', async () => {
  const idle = await kit.tokens()
  let used = await kit.tokens()
  for (let month = 0; month < 3; month++) {
    app.clock.advance(29 * 86_400_000)
    const next = await kit.refresh(used.clientId, used.refresh_token)
    expect(next.status).toBe(200)
    used = { ...used, ...next.body }
    if (month > 0) expect((await kit.refresh(idle.clientId, idle.refresh_token)).status).toBe(400)
  }
  app.clock.advance(3.5 * 86_400_000)
  expect((await kit.refresh(used.clientId, used.refresh_token)).body.error).toBe('invalid_grant')
  app.clock.set(new Date())
})

test('without a sign-in page, clients get no new tokens', async () => {
  const tokens = await kit.tokens()
  const set = (agentSignInUrl: string) =>
    app.call('PATCH', base(), { updateMask: ['agentSignInUrl'], project: { agentSignInUrl } })
  expect((await set('')).body).not.toHaveProperty('agentSignInUrl')
  expect((await kit.refresh(tokens.clientId, tokens.refresh_token)).status).toBe(404)
  expect(await isValid(tokens.access_token)).toBe(true)
  await set('http://localhost:3000/agents')
  expect((await kit.refresh(tokens.clientId, tokens.refresh_token)).status).toBe(200)
})

test('what has expired is deleted', async () => {
  await kit.tokens()
  await kit.begin()
  app.clock.advance(200 * 86_400_000)
  const services = { database: app.testDatabase.database, now: app.clock.now }
  for (const tick of agentSessionsTicks(services)) await tick.run(new AbortController().signal)
  app.clock.set(new Date())
  for (const table of ['agent_clients', 'agent_sign_ins', 'agent_sessions'] as const)
    expect(await app.db.sql.selectFrom(table).selectAll().execute(), table).toEqual([])
})
