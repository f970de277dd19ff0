import { resolve } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type SampleCrm, startSampleCrm } from '../../../../../../examples/sample-crm/src/index.ts'
import { untilLockWait } from '../../../testkit/lock-waits.ts'
import { startTestApp, startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { advanceGeneration } from '../credentials/index.ts'
import { keepCheck, keepSuccesses, lockConnections } from './store.ts'

const providers = resolve(import.meta.dirname, '../../../../../../examples/sample-crm/providers')

interface Body {
  id: string
  status: string
  lastCheck?: { outcome: string; reason?: string; time: string }
  updateTime?: string
}

let app: TestApp
let crm: SampleCrm
let groups = 0

beforeAll(async () => {
  crm = await startSampleCrm({ contacts: 10, rateLimit: 0 })
  app = await startTestApp({ env: { MORTISE_PROVIDERS_DIR: providers } })
})
afterAll(async () => {
  await app?.stop()
  await crm?.close()
})
beforeEach(() => {
  groups++
})

const base = () => `/projects/${app.projectId}/connections`
const connect = async (url = crm.url) => {
  const body = { groupRef: `group-${groups}`, consumerRef: 'ada', provider: 'sampleCrm', apiKey: crm.apiKey }
  const answer = await app.call<Body>('POST', `${base()}:generate?verify=true`, { ...body, providerMetadata: { url } })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const check = (id: string) => app.call<Body>('POST', `${base()}/${id}:test`)

test('a test says that the provider accepts the credential, and when', async () => {
  const { id, lastCheck } = await connect()
  const { status, body } = await check(id)
  expect(status).toBe(200)
  expect(body.status).toBe('working')
  expect(body.lastCheck?.outcome).toBe('works')
  expect(Date.parse(body.lastCheck?.time ?? '')).toBeGreaterThan(Date.parse(lastCheck?.time ?? ''))
})

test('a credential that was revoked is refused with the words of the provider, and works again when it is accepted', async () => {
  const revoking = await startSampleCrm({ contacts: 1, rateLimit: 0 })
  const { id } = await connect(revoking.url)
  revoking.revokeKey()
  const refused = await check(id)
  expect(refused.body).toMatchObject({ status: 'bad_credentials', lastCheck: { outcome: 'refused' } })
  expect(refused.body.lastCheck?.reason).toContain('401')
  await revoking.close()
  const accepting = await startSampleCrm({ contacts: 1, rateLimit: 0, port: Number(new URL(revoking.url).port) })
  const again = await check(id)
  await accepting.close()
  expect(again.body).toMatchObject({ status: 'working', lastCheck: { outcome: 'works' } })
})

test('a provider that does not answer leaves the status, and the check says so', async () => {
  const other = await startSampleCrm({ contacts: 1, rateLimit: 0 })
  const { id } = await connect(other.url)
  await other.close()
  const { body } = await check(id)
  expect(body).toMatchObject({ status: 'working', lastCheck: { outcome: 'unreachable' } })
})

test('a provider whose file was removed is a problem that says so', async () => {
  const { id } = await connect()
  const without = await startTestNode(app)
  const { status, body } = await without.call<{ context: { code: string } }>('POST', `${base()}/${id}:test`)
  await without.stop()
  expect(status).toBe(422)
  expect(body.context.code).toBe('capability-not-implemented')
})

test('a change of a connection whose provider file was removed stands, and nothing is checked', async () => {
  const { id } = await connect()
  const without = await startTestNode(app)
  const change = { updateMask: ['apiKey'], connection: { apiKey: 'another' } }
  const { status, body } = await without.call<Body>('PATCH', `${base()}/${id}?verify=true`, change)
  await without.stop()
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body).toMatchObject({ status: 'created' })
})

test('an unknown connection is a 404', async () => {
  expect((await check('01a21000-0000-7000-8000-000000000000')).status).toBe(404)
})

test.each([
  ['was refused', (id: string) => keepCheck(app.db, { id, generation: 1 }, { outcome: 'refused', reason: 'No.' })],
  ['works', (id: string) => keepSuccesses(app.db, [{ id, generation: 1 }])],
] as const)('a check of the former credential does not say of the next one that it %s', async (_, keep) => {
  const { id } = await connect()
  let keeping: Promise<unknown> | undefined
  await app.db.transaction(async (tx) => {
    await lockConnections(tx, { ids: [id] })
    await sql`
      update connections set status = 'created', check_outcome = null, check_reason = null, check_time = null
       where id = ${id}`.execute(tx.sql)
    await advanceGeneration(tx, id)
    keeping = keep(id)
    await untilLockWait(app.db.sql)
  })
  await keeping
  const { body } = await app.call<Body>('GET', `${base()}/${id}`)
  expect(body.status).toBe('created')
  expect(body.lastCheck).toBeUndefined()
})
