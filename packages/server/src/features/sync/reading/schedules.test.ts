import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { untilLockWait } from '../../../testkit/lock-waits.ts'
import type { TestApp } from '../../../testkit/test-app.ts'
import { lockInstallation } from '../../integrations/installations/index.ts'
import { claimDueReads } from './due-reads.ts'
import { deploy, type Installed, type ReadingKit, startReadingKit } from './reading.testkit.ts'
import { scheduledReads } from './scheduled-reads.ts'
import { listReadStates, upsertReadStates } from './state-store.ts'
import { storedRuns } from './stored-runs.ts'
import { syncInstallation } from './sync.ts'

interface Schedule {
  objectName: string
  offsetSeconds: number
  lastRunTime?: string
  lastRunStatus?: string
  nextRunTime?: string
  pauseReason?: string
  waitsFor?: string
}

/** A node whose loops do not run: the tests claim and read for it. */
let kit: ReadingKit
let node: TestApp
beforeAll(async () => {
  kit = await startReadingKit({}, { MORTISE_ROLES: 'api', MORTISE_SCHEDULE_SPREAD: '5m' })
  node = kit.app
})
afterAll(() => kit?.stop())
beforeEach(() => node.clock.set(new Date()))

const pathOf = ({ name, installationId }: Installed) =>
  `projects/default/integrations/${name}/installations/${installationId}`

async function scheduleOf(installed: Installed): Promise<Schedule> {
  const { status, body } = await node.call<Schedule[]>('GET', `/${pathOf(installed)}/schedules`)
  expect([status, body.length]).toEqual([200, 1])
  return body[0]!
}

async function readDue(loop = scheduledReads(node.app.services)): Promise<void> {
  await Promise.all(await loop.begin(64, new AbortController().signal))
  await loop.stop?.()
}

test('an object is claimed at the time that its schedule shows, and each time with the same offset', async () => {
  const installed = await kit.install({ object: { schedule: '*/10 * * * *' } })
  const { offsetSeconds, lastRunTime } = await scheduleOf(installed)
  expect(lastRunTime).toBeUndefined()
  for (let run = 0; run < 3; run++) {
    const shown = await scheduleOf(installed)
    const next = Date.parse(shown.nextRunTime!)
    expect(shown.offsetSeconds).toBe(offsetSeconds)
    expect(shown.offsetSeconds).toBeGreaterThan(0)
    expect(new Date(next - offsetSeconds * 1_000).toISOString()).toMatch(/:\d0:00\.000Z$/)
    node.clock.set(new Date(next - 120_000))
    expect(await claimDueReads(node.app.services, 10)).toEqual([])
    node.clock.set(new Date(next))
    await readDue()
    const after = await scheduleOf(installed)
    expect(after).toMatchObject({ lastRunStatus: 'success', nextRunTime: new Date(next + 600_000).toISOString() })
    expect(Date.parse(after.lastRunTime!)).toBeGreaterThanOrEqual(next)
  }
})

test('a paused object has no next read, and says why', async () => {
  const installed = await kit.install()
  const { nextRunTime } = await scheduleOf(installed)
  expect(nextRunTime).toBeDefined()
  await node.call('POST', `//read/v1/${pathOf(installed)}:pause`)
  const paused = await scheduleOf(installed)
  expect([paused.nextRunTime, paused.pauseReason]).toEqual([undefined, 'request'])
  await node.call('POST', `//read/v1/${pathOf(installed)}:unpause`)
  expect(await scheduleOf(installed)).toMatchObject({ nextRunTime })
})

test('a pause is kept that comes while a change of the config is stored', async () => {
  const installed = await kit.install()
  const { installationId } = installed
  let pausing: Promise<unknown> | undefined
  await node.db.transaction(async (tx) => {
    await lockInstallation(tx, installationId)
    const [state] = await listReadStates(tx, installationId)
    if (!state) throw new Error('the installation reads nothing')
    pausing = node.call('POST', `//read/v1/${pathOf(installed)}:pause`)
    await untilLockWait(node.db.sql)
    const change = { objectName: state.objectName, schedule: '0 * * * *', nextRunAt: new Date(), paused: null }
    await upsertReadStates(tx, installationId, [change])
  })
  await pausing
  expect((await scheduleOf(installed)).pauseReason).toBe('request')
})

test('a pause by a deploy is kept that comes while a change of the config is stored', async () => {
  const installed = await kit.install()
  const config = { content: { read: { objects: { contacts: { objectName: 'contacts', schedule: '0 * * * *' } } } } }
  const update = { updateMask: ['config.content.read.objects.contacts'], installation: { config } }
  const changes: Promise<unknown>[] = []
  await node.db.transaction(async (tx) => {
    await listReadStates(tx, installed.installationId, { lock: true })
    changes.push(deploy(node, installed.name, { objectName: 'companies' }, true))
    await untilLockWait(node.db.sql)
    changes.push(node.call('PATCH', `/${pathOf(installed)}?skipSampling=true`, update))
    await untilLockWait(node.db.sql, 2)
  })
  await Promise.all(changes)
  const states = await listReadStates(node.db, installed.installationId)
  expect(states.find(({ objectName }) => objectName === 'contacts')?.paused).toBe('removed')
})

test('a read that ends after the account was connected again does not pause its object', async () => {
  const installed = await kit.install()
  kit.crm.failNext(1, 401)
  await kit.makeDue(installed.installationId)
  let reading: Promise<void> | undefined
  await node.db.transaction(async (tx) => {
    // The read has met the refusal, and waits here to log it.
    await sql`lock table operation_logs in access exclusive mode`.execute(tx.sql)
    reading = readDue()
    await untilLockWait(node.db.sql)
    expect((await scheduleOf(installed)).pauseReason).toBe('credentials')
    await kit.reconnect(installed)
    await node.db.transaction((other) => syncInstallation(other, node.app.services, installed.installationId))
    expect((await scheduleOf(installed)).pauseReason).toBeUndefined()
  })
  await reading
  expect(await scheduleOf(installed)).toMatchObject({ lastRunStatus: 'failure' })
  expect((await scheduleOf(installed)).pauseReason).toBeUndefined()
})

test('a scheduled read that fails is shown with its failure', async () => {
  const installed = await kit.install()
  kit.crm.failNext(1, 400)
  await kit.makeDue(installed.installationId)
  await readDue()
  expect(await scheduleOf(installed)).toMatchObject({ lastRunStatus: 'failure' })
})

test('the last read of an installation is the last one that succeeded, not a refused attempt', async () => {
  const installed = await kit.install()
  const shown = async () => {
    const status = await node.call<{ objects: { state: string; lastReadTime?: string }[] }>(
      'GET',
      `/${pathOf(installed)}/status`,
    )
    const info = await node.call<{ installations: { id: string; lastReadTime?: string }[] }>(
      'GET',
      `/projects/default/connect-info?groupRef=${installed.groupRef}&consumerRef=ada`,
    )
    const summary = info.body.installations.find(({ id }) => id === installed.installationId)
    const [object] = status.body.objects
    expect(summary?.lastReadTime).toBe(object?.lastReadTime)
    return object
  }
  // It was installed an hour ago.
  await sql`update read_states set create_time = create_time - interval '1 hour', high_water_mark = high_water_mark - interval '1 hour'
             where installation_id = ${installed.installationId}`.execute(node.db.sql)
  expect((await shown())?.lastReadTime).toBeUndefined()
  await kit.makeDue(installed.installationId)
  await readDue()
  const read = await shown()
  expect(Date.parse(read?.lastReadTime ?? '')).toBeGreaterThan(Date.now() - 60_000)
  kit.crm.revokeKey()
  await kit.makeDue(installed.installationId)
  await readDue()
  kit.crm.createKey()
  const failed = await shown()
  expect([failed?.state, failed?.lastReadTime]).toEqual(['failing', read?.lastReadTime])
})

test('a read behind a backfill says what it waits for', async () => {
  const installed = await kit.install({ object: { backfill: { defaultPeriod: { fullHistory: true } } } })
  expect(await scheduleOf(installed)).toMatchObject({ waitsFor: 'backfill' })
  await kit.makeDue(installed.installationId)
  await readDue()
  expect(await scheduleOf(installed)).toMatchObject({ waitsFor: 'scheduled', lastRunStatus: 'in_progress' })
  await readDue(storedRuns(node.app.services))
  await readDue(storedRuns(node.app.services))
  const { waitsFor, lastRunStatus } = await scheduleOf(installed)
  expect([waitsFor, lastRunStatus]).toEqual([undefined, 'success'])
})

test('objects without a schedule are left out, and unknown installations are not found', async () => {
  const installed = await kit.install({ object: { schedule: undefined } })
  expect((await node.call('GET', `/${pathOf(installed)}/schedules`)).body).toEqual([])
  const unknown = await node.call('GET', `/${pathOf({ ...installed, installationId: newId() })}/schedules`)
  expect(unknown.status).toBe(404)
})
