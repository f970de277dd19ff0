import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { LeaseLost } from '../../../kernel/work/index.ts'
import { startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import { deliverPage } from './deliver-page.ts'
import { claimDueReads } from './due-reads.ts'
import { openTarget } from './open-read.ts'
import { findReadTargets } from './read-targets.ts'
import { crmNow, type Installed, type ReadingKit, startReadingKit } from './reading.testkit.ts'
import { claimDueRuns } from './run-store.ts'
import { scheduledReads } from './scheduled-reads.ts'
import { createReadSettler } from './settle-reads.ts'

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
  await sql`update read_states set next_run_at = now() + interval '1 day', fence = null, lease_until = null`.execute(
    node.testDatabase.database.system,
  )
  await sql`delete from read_runs`.execute(node.testDatabase.database.system)
  installed = await kit.install()
})

async function makeDue(...all: Installed[]): Promise<void> {
  await sql`update read_states set next_run_at = now() - interval '1 minute', high_water_mark = ${new Date(crmNow())}
             where installation_id = any(${all.map(({ installationId }) => installationId)}::uuid[])`.execute(
    node.db.sql,
  )
}

/** Claims what is due, and reads it. */
async function readDue(services = node.app.services, signal = new AbortController().signal): Promise<void> {
  const loop = scheduledReads(services)
  await Promise.all(await loop.begin(64, signal))
  await loop.stop?.()
}

async function state({ installationId }: Installed) {
  const { rows } = await sql<{ due: boolean; leased: boolean; next_run_at: Date; high_water_mark: Date }>`
    select next_run_at <= now() as due, fence is not null as leased, next_run_at, high_water_mark from read_states
     where installation_id = ${installationId}`.execute(node.db.sql)
  return rows[0]
}

test('a read that finds nothing takes at most four statements, and leaves one row', async () => {
  const all = [installed]
  while (all.length < 20) all.push(await kit.install())
  await makeDue(...all)
  const statements = vi.spyOn(pg.Client.prototype, 'query')
  onTestFinished(() => statements.mockRestore())
  await readDue()
  const each = statements.mock.calls.length / all.length
  expect(each).toBeLessThanOrEqual(4)
  statements.mockRestore()
  for (const one of all) {
    const operations = await kit.operations(one)
    expect(operations).toEqual([
      expect.objectContaining({ status: 'success', result: '[contacts] No new data found', resource: 'contacts' }),
    ])
    expect(await state(one)).toMatchObject({ due: false, leased: false })
    const logs = await node.call('GET', `/projects/default/operations/${operations[0]?.id}/logs`)
    expect(logs.body).toEqual([])
  }
  const path = `/projects/default/integrations/${installed.name}/installations/${installed.installationId}`
  expect((await node.call('GET', path)).body).toMatchObject({ lastOperationStatus: 'success' })
})

test('a state that a dead process has claimed is claimed again when its lease ends', async () => {
  await makeDue(installed)
  const { services } = node.app
  expect(await claimDueReads(services, 10)).toHaveLength(1)
  expect(await claimDueReads(services, 10)).toEqual([])
  await sql`update read_states set lease_until = now() where fence is not null`.execute(node.db.sql)
  expect(await claimDueReads(services, 10)).toHaveLength(1)
})

test('a process that stops leaves the read due for the next one', async () => {
  await makeDue(installed)
  await readDue(node.app.services, AbortSignal.abort())
  expect(await state(installed)).toMatchObject({ due: true, leased: false })
  expect(await kit.operations(installed)).toEqual([])
})

test('a schedule that changes while the object is read keeps its new time', async () => {
  await makeDue(installed)
  const { services } = node.app
  const [lease] = await claimDueReads(services, 10)
  const changed = new Date(Date.now() + 3_600_000)
  await sql`update read_states set next_run_at = ${changed} where installation_id = ${installed.installationId}`.execute(
    node.db.sql,
  )
  await createReadSettler(services).settle(lease!, { nextRunAt: new Date(Date.now() + 60_000), mark: new Date() })
  expect(await state(installed)).toMatchObject({ next_run_at: changed, leased: false })
})

test('an outcome is stored once the row is no longer locked, and none other waits for it', async () => {
  const other = await kit.install()
  await makeDue(installed, other)
  const { services } = node.app
  const leases = await claimDueReads(services, 10)
  const of = ({ installationId }: Installed) => leases.find(({ row }) => row.installation_id === installationId)!
  const settler = createReadSettler(services)
  const outcome = { nextRunAt: new Date(Date.now() + 60_000) }
  let locked: Promise<void> | undefined
  await node.db.transaction(async (tx) => {
    await sql`select from read_states where installation_id = ${installed.installationId} for update`.execute(tx.sql)
    locked = settler.settle(of(installed), outcome)
    await settler.settle(of(other), outcome)
    expect(await state(installed)).toMatchObject({ leased: true })
  })
  await locked
  expect(await state(installed)).toMatchObject({ due: false, leased: false })
})

test('a page is not delivered by a worker that has lost the state', async () => {
  await makeDue(installed)
  const { services } = node.app
  const [lease] = await claimDueReads(services, 10)
  const target = (await findReadTargets(services.database, [lease!.row])).get(lease!.row)!
  await sql`update read_states set fence = ${newId()} where installation_id = ${installed.installationId}`.execute(
    node.db.sql,
  )
  const ended = {
    projectId: node.projectId,
    operationId: newId(),
    installationId: installed.installationId,
    integrationId: installed.integrationId,
    configId: target.installation.configId,
    objectName: 'contacts',
    begun: new Date(),
  }
  const page = { entries: ['{"fields":{},"raw":{}}'], nextPage: undefined, total: undefined, calls: [] }
  const delivery = deliverPage(services, lease!, {
    read: await openTarget(node.db, services, target),
    pages: [page],
    ended,
    window: { since: undefined, until: new Date() },
    nextRunAt: new Date(),
  })
  await expect(delivery).rejects.toBeInstanceOf(LeaseLost)
  expect(await kit.operations(installed)).toEqual([])
  const { rows } = await sql`select from messages where installation_id = ${installed.installationId}`.execute(
    node.db.sql,
  )
  expect(rows).toEqual([])
})

test('waits behind another run of its object, once, and passes one that waits after an error', async () => {
  const { services } = node.app
  const { installationId } = installed
  await node.call('POST', `//read/v1/projects/default/integrations/${installed.name}/objects/contacts`, {
    groupRef: installed.groupRef,
    mode: 'async',
  })
  await makeDue(installed)
  await readDue()
  await makeDue(installed)
  await readDue()
  expect(await state(installed)).toMatchObject({ due: false, leased: false })
  const kinds = async () => (await claimDueRuns(services, 10)).map(({ row }) => row.kind)
  expect(await kinds()).toEqual(['triggered'])
  expect(await kinds()).toEqual([])
  await sql`update read_runs set next_attempt_at = now() + interval '1 minute', fence = null, lease_until = null
             where installation_id = ${installationId} and kind = 'triggered'`.execute(node.db.sql)
  const [scheduled] = await claimDueRuns(services, 10)
  expect(scheduled?.row).toMatchObject({ kind: 'scheduled', until: expect.any(Date) })
  expect(await kit.operations(installed)).toHaveLength(2)
})

test('two nodes that claim at once share what is due', async () => {
  const all = [installed]
  while (all.length < 8) all.push(await kit.install())
  await makeDue(...all)
  const second = await startTestNode(node, { MORTISE_ROLES: 'api', MORTISE_PROVIDERS_DIR: kit.providersDir })
  onTestFinished(() => second.stop())
  await Promise.all([readDue(), readDue(second.app.services)])
  for (const one of all) expect(await kit.operations(one)).toHaveLength(1)
})
