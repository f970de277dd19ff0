import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestApp } from '../../../testkit/test-app.ts'
import { claimDueReads } from './due-reads.ts'
import { readSoon } from './read-soon.ts'
import { crmNow, type Installed, type ReadingKit, startReadingKit } from './reading.testkit.ts'
import { scheduledReads } from './scheduled-reads.ts'
import { storedRuns } from './stored-runs.ts'

/** A node whose loops do not run: the tests claim and read for it. */
let kit: ReadingKit
let node: TestApp
let installed: Installed
beforeAll(async () => {
  kit = await startReadingKit({}, { MORTISE_ROLES: 'api' })
  node = kit.app
})
afterAll(() => kit?.stop())
beforeEach(async () => {
  node.clock.set(new Date())
  await sql`update read_states set next_run_at = now() + interval '1 day', high_water_mark = ${new Date(crmNow())}`.execute(
    node.testDatabase.database.system,
  )
  installed = await kit.install()
  await sql`update read_states set next_run_at = now() + interval '1 day', high_water_mark = ${new Date(crmNow())}
             where installation_id = ${installed.installationId}`.execute(node.db.sql)
})

const report = () =>
  readSoon(node.db, node.app.services, [{ installationId: installed.installationId, objectName: 'contacts' }])

/** Lets the last report be older than the window of the next read. */
async function age(): Promise<void> {
  await sql`update read_states set changed_time = changed_time - interval '1 minute'
             where installation_id = ${installed.installationId}`.execute(node.db.sql)
}

/** Milliseconds until the next read. */
async function dueInMs(): Promise<number> {
  const { rows } = await sql<{ due: Date }>`
    select next_run_at as due from read_states where installation_id = ${installed.installationId}`.execute(node.db.sql)
  return (rows[0]?.due.getTime() ?? 0) - node.clock.now().getTime()
}

async function readDue(loop = scheduledReads(node.app.services)): Promise<void> {
  await Promise.all(await loop.begin(64, new AbortController().signal))
  await loop.stop?.()
}

const succeeded = async () => (await kit.operations(installed)).filter(({ status }) => status === 'success').length

test('many reported changes make one read, a few seconds after the first', async () => {
  for (let n = 0; n < 20; n++) await report()
  expect(await dueInMs()).toBeGreaterThan(2_000)
  await readDue()
  expect(await succeeded()).toBe(0)
  node.clock.advance(4_000)
  await age()
  await readDue()
  await readDue()
  expect(await succeeded()).toBe(1)
  expect(await dueInMs()).toBeGreaterThan(60_000)
})

test('a change that is reported after the window of a read makes one more', async () => {
  await report()
  node.clock.advance(4_000)
  await readDue()
  expect(await dueInMs()).toBeLessThanOrEqual(4_000)
  node.clock.advance(4_000)
  await age()
  await readDue()
  expect(await succeeded()).toBe(2)
  expect(await dueInMs()).toBeGreaterThan(60_000)
})

test('a change that is reported while records are delivered makes one more read', async () => {
  kit.crm.change(1)
  await report()
  node.clock.advance(4_000)
  await readDue()
  expect((await kit.operations(installed))[0]).toMatchObject({ result: '[contacts] 1 record read' })
  expect(await dueInMs()).toBeLessThanOrEqual(4_000)
})

test('a change that is reported while a read continues as a run makes one more read after it', async () => {
  await age()
  await sql`update read_states set high_water_mark = now() - interval '100 years'
             where installation_id = ${installed.installationId}`.execute(node.db.sql)
  kit.crm.failNext(1, 503)
  await kit.makeDue(installed.installationId)
  const claimed = readDue()
  await kit.until(async () => (await kit.operations(installed)).length === 1)
  await report()
  await claimed
  node.clock.advance(4_000)
  // The run that waits does not make the state due forever.
  await readDue()
  expect(await dueInMs()).toBeGreaterThan(60_000)
  await sql`update read_runs set next_attempt_at = now()`.execute(node.testDatabase.database.system)
  await readDue(storedRuns(node.app.services))
  await kit.until(async () => (await succeeded()) === 1)
  expect(await dueInMs()).toBeLessThanOrEqual(4_000)
})

test('an object without a schedule is not read, and a paused one waits for the end of its pause', async () => {
  await sql`update read_states set paused = 'request' where installation_id = ${installed.installationId}`.execute(
    node.db.sql,
  )
  await report()
  node.clock.advance(4_000)
  expect(await claimDueReads(node.app.services, 10)).toEqual([])
  const path = `//read/v1/projects/default/integrations/${installed.name}/installations/${installed.installationId}`
  await node.call('POST', `${path}:unpause`)
  expect(await dueInMs()).toBeLessThanOrEqual(0)
  await sql`update read_states set schedule = null, next_run_at = null
             where installation_id = ${installed.installationId}`.execute(node.db.sql)
  await report()
  expect(await claimDueReads(node.app.services, 10)).toEqual([])
})

test('two calls that name the same objects in another order do not wait for each other', async () => {
  const other = await kit.install()
  const objects = [installed, other].map(({ installationId }) => ({ installationId, objectName: 'contacts' }))
  await Promise.all(
    Array.from({ length: 20 }, (_, n) => readSoon(node.db, node.app.services, n % 2 ? objects : objects.toReversed())),
  )
  const { rows } = await sql`select from read_states where changed_time is not null
    and installation_id = any(${objects.map(({ installationId }) => installationId)}::uuid[])`.execute(node.db.sql)
  expect(rows).toHaveLength(2)
})
