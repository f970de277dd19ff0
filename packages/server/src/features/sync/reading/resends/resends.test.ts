import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestNode, type TestApp } from '../../../../testkit/test-app.ts'
import { deploy, type Installed, type ReadingKit, startReadingKit } from '../reading.testkit.ts'
import type { Resend } from './resend-model.ts'

let kit: ReadingKit
const workers: TestApp[] = []
const startWorker = async () => {
  const worker = await startTestNode(kit.app, { MORTISE_ROLES: 'worker', MORTISE_PROVIDERS_DIR: kit.providersDir })
  workers.push(worker)
  return worker
}
beforeAll(async () => {
  kit = await startReadingKit({ contacts: 300 }, { MORTISE_ROLES: 'api' })
  await startWorker()
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await kit?.stop()
})

const path = (destination: string, action = '') => `/projects/default/destinations/${destination}${action}`
const call = async (method: string, url: string, body?: unknown) => await kit.app.call<Resend>(method, url, body)
const resend = (destination: string, body?: unknown) => call('POST', path(destination, ':resend'), body)
const get = async (destination: string) => (await call('GET', path(destination, '/resend'))).body
const ended = (destination: string) =>
  kit.until(async () => {
    const found = await get(destination)
    return found.status !== 'in_progress' && found
  })

/** Creates a destination that the receiver answers for. */
async function destination(name: string): Promise<string> {
  const { status } = await kit.app.call('POST', '/projects/default/destinations', {
    name,
    type: 'webhook',
    metadata: { url: kit.receiver.url },
  })
  expect(status).toBe(201)
  return name
}
const install = (to: string, options: Parameters<ReadingKit['install']>[0] = {}) =>
  kit.install({ ...options, object: { destination: to, ...options.object } })

/** Names of the destinations that an installation has messages to. */
async function destinationsOf({ installationId }: Installed): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct d.name from messages m
      join destinations d on d.project_id = m.project_id and d.id = m.destination_id
     where m.project_id = ${kit.app.projectId} and m.installation_id = ${installationId}`.execute(kit.app.db.sql)
  return rows.map(({ name }) => name)
}
async function markOf({ installationId }: Installed): Promise<string> {
  const { rows } = await sql<{ mark: string }>`
    select high_water_mark::text || ' ' || coalesce(next_run_at::text, '') as mark from read_states
     where project_id = ${kit.app.projectId} and installation_id = ${installationId}`.execute(kit.app.db.sql)
  return rows[0]?.mark ?? ''
}

test('delivers all records of all installations of the destination, moves no mark, and touches no other', async () => {
  const to = await destination('all')
  const elsewhere = await install(await destination('elsewhere'))
  const installed = [await install(to), await install(to), await install(to)]
  const marks = await Promise.all(installed.map(markOf))
  const before = kit.receiver.counters().records
  const started = await resend(to)
  expect(started).toMatchObject({ status: 202, body: { status: 'in_progress' } })
  expect(await ended(to)).toEqual({
    id: started.body.id,
    destinationId: started.body.destinationId,
    status: 'success',
    isListed: true,
    installations: { total: 3, done: 3, failed: 0 },
    reads: { total: 3, done: 3, failed: 0 },
    records: 900,
    failures: [],
    createTime: expect.any(String),
    endTime: expect.any(String),
  })
  const shown = await kit.app.call<{ resendTime?: string }>('GET', path(to))
  expect(shown.body.resendTime).toBe(started.body.createTime)
  await kit.receiver.waitFor((counters) => counters.records >= before + 900, 30_000)
  expect(await Promise.all(installed.map(markOf))).toEqual(marks)
  expect(await destinationsOf(elsewhere)).toEqual([])
  for (const one of installed) {
    expect(await destinationsOf(one)).toEqual([to])
    const [read] = await kit.operations(one)
    expect(read).toMatchObject({ status: 'success', result: '[contacts] 300 records read' })
  }
})

test('one at a time: the same request returns it, another is refused; a later one reads again', async () => {
  const to = await destination('again')
  const one = await install(to)
  kit.crm.setRateLimit(1, 1)
  const first = await resend(to)
  expect((await resend(to, {})).body.id).toBe(first.body.id)
  expect(await resend(to, { groupRef: one.groupRef })).toMatchObject({
    status: 409,
    body: { context: { code: 'resend-in-progress' } },
  })
  kit.crm.setRateLimit(0)
  await ended(to)
  const second = await resend(to)
  expect(second.body.id).not.toBe(first.body.id)
  expect(await ended(to)).toMatchObject({ status: 'success', records: 300 })
})

test('filters name an integration, a group and an object', async () => {
  const to = await destination('part')
  const [one] = [await install(to), await install(to)]
  await resend(to, { integration: one.name, groupRef: one.groupRef, objectName: 'contacts' })
  const found = await ended(to)
  expect(found).toMatchObject({ status: 'success', installations: { total: 1, done: 1 } })
  expect(found).toMatchObject({ integrationId: one.integrationId, groupRef: one.groupRef, objectName: 'contacts' })
  await resend(to, { objectName: 'deals' })
  expect(await ended(to)).toMatchObject({ status: 'success', installations: { total: 0 }, records: 0 })
  const refused = await kit.app.call<{ issues: { name: string }[] }>('POST', path(to, ':resend'), {
    integration: 'none',
    groupRef: 'nobody',
  })
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringMatching(/names no integration.*no group/),
  ])
})

test('a destination without installations is filled at once, and what cannot be is refused clearly', async () => {
  const to = await destination('empty')
  expect(await call('GET', path(to, '/resend'))).toMatchObject({ status: 404 })
  expect(await call('POST', path(to, ':cancelResend'))).toMatchObject({ status: 404 })
  await resend(to)
  expect(await ended(to)).toMatchObject({ status: 'success', installations: { total: 0, done: 0 }, records: 0 })
  expect(await resend('unknown')).toMatchObject({ status: 404 })
  await call('POST', path(to, ':disable'))
  expect(await resend(to)).toMatchObject({
    status: 409,
    body: { context: { code: 'destination-disabled' } },
  })
})

test('a read that fails does not keep the others, and the result names it', async () => {
  const to = await destination('partly')
  const good = await install(to)
  const gone = await install(to)
  const bad = await install(to)
  await kit.quiet()
  await sql`update read_states set paused = 'request' where installation_id = ${good.installationId}`.execute(
    kit.app.db.sql,
  )
  const other = await kit.app.call('PATCH', `/projects/default/connections/${bad.connectionId}`, {
    connection: { apiKey: 'wrong' },
    updateMask: ['apiKey'],
  })
  expect(other.status).toBe(200)
  await resend(to)
  const found = await ended(to)
  expect(found).toMatchObject({
    status: 'failure',
    installations: { total: 3, done: 3, failed: 1 },
    records: 600,
    failures: [{ installationId: bad.installationId, groupRef: bad.groupRef, integration: bad.name }],
  })
  expect(found.failures[0]?.error).toMatch(/\w/)
  expect((await kit.operations(gone))[0]).toMatchObject({ status: 'success' })
})

test('a worker that stops in between is replaced: nothing is lost, and an uninstalled one is a failure', async () => {
  const to = await destination('restart')
  const installed = [await install(to), await install(to), await install(to), await install(to), await install(to)]
  await kit.quiet()
  kit.crm.setRateLimit(1, 1)
  await resend(to)
  await kit.until(async () => {
    const { records } = await get(to)
    return records > 0
  })
  const running = await get(to)
  expect(running).toMatchObject({ status: 'in_progress', installations: { total: 5 } })
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  const { rows } = await sql<{ runs: number }>`
    select count(*)::int as runs from read_runs where project_id = ${kit.app.projectId} and resend_to is not null`.execute(
    kit.app.db.sql,
  )
  expect(rows[0]?.runs).toBeLessThanOrEqual(4)
  const last = installed.at(-1)!
  const deleted = `/projects/default/integrations/${last.name}/installations/${last.installationId}`
  expect((await kit.app.call('DELETE', deleted)).status).toBe(204)
  kit.crm.setRateLimit(0)
  await startWorker()
  expect(await ended(to)).toMatchObject({
    id: running.id,
    status: 'failure',
    installations: { total: 5, done: 5, failed: 1 },
    records: 1_200,
    failures: [{ installationId: last.installationId, error: expect.stringContaining('no longer reads') }],
  })
})

test('cancel ends its reads, and what was not read stays unread', async () => {
  const to = await destination('canceled')
  const installed = [await install(to), await install(to)]
  await kit.quiet()
  kit.crm.setRateLimit(1, 1)
  await resend(to)
  await kit.until(async () => (await get(to)).isListed && (await kit.operations(installed[0]!)).length > 0)
  const canceled = await call('POST', path(to, ':cancelResend'))
  expect(canceled).toMatchObject({ status: 200, body: { status: 'canceled', endTime: expect.any(String) } })
  const { rows } = await sql`select from read_runs where resend_to = ${canceled.body.destinationId}`.execute(
    kit.app.db.sql,
  )
  expect(rows).toEqual([])
  for (const one of installed)
    expect((await kit.operations(one)).filter(({ status }) => status === 'in_progress')).toEqual([])
  expect((await call('POST', path(to, ':cancelResend'))).body.id).toBe(canceled.body.id)
  kit.crm.setRateLimit(0)
  await resend(to)
  expect(await ended(to)).toMatchObject({ status: 'success', records: 600 })
})

test('a destination that is disabled meanwhile gets nothing until it is enabled', async () => {
  const to = await destination('asleep')
  await install(to)
  await kit.quiet()
  kit.crm.setRateLimit(1, 1)
  await resend(to)
  await call('POST', path(to, ':disable'))
  expect(await get(to)).toMatchObject({ status: 'in_progress', waitsFor: 'destination' })
  kit.crm.setRateLimit(0)
  await call('POST', path(to, ':enable'))
  expect(await ended(to)).toMatchObject({ status: 'success', records: 300 })
})

test('an object that goes elsewhere meanwhile is not read, and its new destination gets nothing', async () => {
  const to = await destination('left')
  const one = await install(to)
  const other = await destination('right')
  await kit.quiet()
  kit.crm.setRateLimit(1, 1)
  await resend(to)
  await kit.until(async () => (await kit.operations(one)).length > 0)
  await deploy(kit.app, one.name, { destination: other })
  kit.crm.setRateLimit(0)
  expect(await ended(to)).toMatchObject({
    status: 'failure',
    failures: [{ error: expect.stringContaining('no longer go') }],
  })
  expect(await destinationsOf(one)).not.toContain(other)
})
