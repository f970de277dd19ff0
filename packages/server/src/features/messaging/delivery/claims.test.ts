import { type Kysely, type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId, type Tables } from '../../../kernel/db/index.ts'
import {
  claimMessages,
  findDueDestinations,
  findReattachable,
  postMessages,
  renewLeases,
  settlementOf,
} from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'
import { vacuumMessages } from './testing/vacuum-messages.ts'

/** Which messages of a destination are claimed first when many wait, and what that costs. */

let rig: DeliveryRig
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterAll(() => rig?.app.stop())

const destination = () => rig.create('http://127.0.0.1:9999/')
const post = (destinationName: string, count: number, installationId: string, name: string) =>
  rig.app.db.transaction((tx) =>
    postMessages(
      tx,
      rig.app.app.services,
      Array.from({ length: count }, () => ({
        destinationName,
        kind: 'read' as const,
        payload: Buffer.from(JSON.stringify(name)),
        installationId,
      })),
    ),
  )
async function claim(destinationId: string, limit = 100, bytesMax = 2 ** 20): Promise<string[]> {
  const claimed = await claimMessages(rig.app.db, { destinationId, token: newId(), limit, bytesMax, leaseSeconds: 15 })
  return claimed.map(({ payload }) => JSON.parse(payload.toString()) as string)
}
const count = (names: readonly string[], wanted: string) => names.filter((name) => name === wanted).length

it('an installation with many messages does not delay those of others', async () => {
  const { id, name } = await destination()
  await post(name, 2_000, newId(), 'crowd')
  await post(name, 3, newId(), 'other')
  const first = await claim(id)
  expect([first.length, count(first, 'other')]).toEqual([100, 3])
})

it('two installations with many messages get equal shares', async () => {
  const { id, name } = await destination()
  await post(name, 1_000, newId(), 'one')
  await post(name, 1_000, newId(), 'two')
  const first = await claim(id)
  // The second one was posted a moment later.
  expect(count(first, 'two')).toBeGreaterThan(30)
  expect(first).toHaveLength(100)
})

it('messages above the rate of an installation are not delayed while nothing else waits', async () => {
  const { id, name } = await destination()
  await post(name, 150, newId(), 'crowd')
  expect([await claim(id), await claim(id), await claim(id)].map(({ length }) => length)).toEqual([100, 50, 0])
})

it('new messages and those that are tried again get half of a claim each', async () => {
  const { id, name } = await destination()
  await post(name, 300, newId(), 'again')
  await sql`update messages set attempt = 1, next_attempt_at = now() - interval '1 hour' where destination_id = ${id}`.execute(
    rig.app.db.sql,
  )
  await post(name, 60, newId(), 'new')
  const first = await claim(id)
  expect([count(first, 'again'), count(first, 'new')]).toEqual([50, 50])
  const second = await claim(id)
  expect([count(second, 'again'), count(second, 'new')]).toEqual([90, 10])
})

it('a claim ends after the message that exceeds its bytes', async () => {
  const { id, name } = await destination()
  await post(name, 20, newId(), 'x'.repeat(98))
  expect(await claim(id, 100, 450)).toHaveLength(5)
  expect(await claim(id, 3)).toHaveLength(3)
})

it('messages that a node of the release before inserted are ordered by the time of their creation', async () => {
  const { id, name } = await destination()
  await post(name, 200, newId(), 'crowd')
  await sql`insert into messages (project_id, id, destination_id, destination_name, kind, payload, payload_bytes, has_result)
    values (${rig.app.projectId}, ${newId()}, ${id}, ${name}, 'read', ${Buffer.from('"before"')}, 8, false)`.execute(
    rig.app.db.sql,
  )
  expect(count(await claim(id), 'before')).toBe(1)
})

it('a renewal of leases does not wait for messages that are being settled', async () => {
  const { id: destinationId, name } = await destination()
  await post(name, 2, newId(), 'held')
  const claimed = await claimMessages(rig.app.db, {
    destinationId,
    limit: 10,
    bytesMax: 1e6,
    leaseSeconds: 15,
    token: newId(),
  })
  const until = async () => {
    const { rows } = await sql<{ until: Date }>`
      select lease_until as until from messages where destination_id = ${destinationId} order by id`.execute(
      rig.app.db.sql,
    )
    return rows.map((row) => row.until.getTime())
  }
  const before = await until()
  await rig.app.db.transaction(async (tx) => {
    const [first] = claimed
    await sql`select from messages where id = ${first!.id} for update`.execute(tx.sql)
    await renewLeases(rig.app.db, claimed, 1_000)
  })
  const after = await until()
  expect(after[0]).toBe(before[0])
  expect(after[1]).toBeGreaterThan(before[1]! + 900_000)
})

/** Pages that a query reads, and pairs of rows that its joins compare in vain. */
async function workOf(db: Kysely<Tables>, query: RawBuilder<unknown>): Promise<{ pages: number; comparisons: number }> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>`
    explain (analyze, buffers, format json) ${query}`.execute(db)
  const { Plan: plan } = rows[0]?.['QUERY PLAN'][0] ?? { Plan: {} }
  const removed = JSON.stringify(plan).matchAll(/"Rows Removed by Join Filter":(\d+)/g)
  return {
    pages: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
    comparisons: [...removed].reduce((sum, [, count]) => sum + Number(count), 0),
  }
}
const claimWork = (id: string) =>
  workOf(
    rig.app.db.sql,
    sql`select from claim_due_messages(${rig.app.projectId}, ${id}, ${newId()}, 100, ${2 ** 20}, interval '15 s')`,
  )

/** The pages of the cheapest of three claims: an old snapshot of another session can keep dead rows from a vacuum. */
async function claimPages(id: string): Promise<number> {
  const pages: number[] = []
  for (let time = 0; time < 3; time++) {
    // The plan of the update depends on statistics, which autovacuum may renew at any time.
    await vacuumMessages(rig.app.testDatabase.url)
    pages.push((await claimWork(id)).pages)
  }
  return Math.min(...pages)
}

it('a claim reads as much of the database with 20,000 waiting messages as with 1,000', async () => {
  const { id, name } = await destination()
  const other = await destination()
  await post(name, 1_000, newId(), 'few')
  const few = await claimPages(id)
  for (let part = 0; part < 4; part++) {
    await post(name, 5_000, newId(), 'many')
    await post(other.name, 1_000, newId(), 'elsewhere')
  }
  const many = await claimPages(id)
  expect(few).toBeGreaterThan(100)
  // 300 messages stay leased at the head of the index: the later claims step over them.
  expect(many).toBeLessThan(2 * few)
})

describe('with statistics of a time at which nothing waited', () => {
  let to: { id: string; name: string }
  beforeAll(async () => {
    to = await destination()
    await sql`update messages set state = 'delivered', lease_token = null`.execute(rig.app.db.sql)
    await vacuumMessages(rig.app.testDatabase.url)
    for (let part = 0; part < 4; part++) {
      await post(to.name, 5_000, newId(), 'waiting')
      await post('nowhere', 5_000, newId(), 'orphan')
    }
  })

  it('few pages are read to find destinations with due messages', async () => {
    const { system } = rig.app.app.services.database
    expect((await findDueDestinations(system)).map(({ destinationId }) => destinationId)).toEqual([to.id])
    const due = await workOf(system, sql`select from find_due_destinations()`)
    expect(due.pages).toBeLessThan(200)
    expect(await findReattachable(system)).toEqual([])
    const reattachable = await workOf(system, sql`select from find_reattachable_destinations()`)
    expect(reattachable.pages).toBeLessThan(200)
  })

  it('a settlement does not compare each message with each other', async () => {
    const claimed = await claimMessages(rig.app.db, {
      ...{ destinationId: to.id, token: newId(), limit: 1_000, bytesMax: 2 ** 20, leaseSeconds: 15 },
    })
    expect(claimed).toHaveLength(1_000)
    const settlements = claimed.map(({ id, token }) => ({
      ...{ id, token, state: 'delivered' as const, attempt: 1, delayMs: 0, ended: { status: 200, durationMs: 1 } },
    }))
    const { comparisons } = await workOf(rig.app.db.sql, settlementOf(rig.app.projectId, to.id, settlements))
    expect(comparisons).toBeLessThan(10_000)
  })
})
