import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId, type ProjectDb } from '../../../kernel/db/index.ts'
import { createTestDatabase, type TestDatabase } from '../../../testkit/test-database.ts'
import {
  deleteEventsOf,
  type EventQueue,
  insertEvents,
  listDueEvents,
  postponeEvents,
  takeEvents,
} from './inbound-store.ts'

let testDatabase: TestDatabase
let db: ProjectDb
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  const { database } = testDatabase
  const [orgId, projectId] = [newId(), newId()]
  await sql`insert into orgs (id, label) values (${orgId}, 'acme')`.execute(database.system)
  await sql`insert into projects (id, org_id, name, app_name) values (${projectId}, ${orgId}, 'acme', 'acme')`.execute(
    database.system,
  )
  db = database.forProject(projectId)
})
afterAll(() => testDatabase?.drop())

const beginning = Date.UTC(2026, 0, 1)
const at = (ms: number) => new Date(beginning + ms)

/** Stores events of a stream, `number` at each of the times; answers their ids. */
async function store({ integrationId, installationId }: EventQueue, times: Date[], number: number): Promise<string[]> {
  const ids: string[] = []
  for (const time of times) {
    const events = Array.from({ length: number }, () => {
      const id = newId()
      const none = {
        account: undefined,
        object: undefined,
        recordId: undefined,
        time: undefined,
        fieldsUpdated: undefined,
      }
      const key = id.replaceAll('-', '')
      return { ...none, id, integrationId, installationId, name: 'made', raw: `{"n":${ids.push(id)}}`, key }
    })
    await insertEvents(db, events, time)
  }
  return ids
}

const eventQueues = {
  'of all accounts': (): EventQueue => ({ projectId: db.projectId, integrationId: newId() }),
  'of an installation': (): EventQueue => ({
    projectId: db.projectId,
    integrationId: newId(),
    installationId: newId(),
  }),
}

const next = async (which: EventQueue, now: Date, bounds: { limit?: number; bytes?: number } = {}, where = db) =>
  (await listDueEvents(where, which, { now, limit: 100, bytes: 1_000_000, ...bounds })).map(({ id }) => id)

it('the events of an installation go with it, and no others', async () => {
  const integrationId = newId()
  const gone = { projectId: db.projectId, integrationId, installationId: newId() }
  const others = [
    { ...gone, installationId: newId() },
    { projectId: db.projectId, integrationId },
  ]
  const kept = await Promise.all([store(gone, [at(1)], 2), ...others.map((other) => store(other, [at(1)], 2))])
  await deleteEventsOf(db, [gone.installationId])
  expect(await next(gone, at(1))).toEqual([])
  expect(await Promise.all(others.map((other) => next(other, at(1))))).toEqual(kept.slice(1))
})

describe.each(Object.entries(eventQueues))('a stream %s', (_, eventQueue) => {
  it('gives its own events in the order in which they came, as many as are asked for', async () => {
    const mine = eventQueue()
    await store(eventQueue(), [at(0)], 3)
    const ids = await store(mine, [at(1), at(2)], 5)
    expect(await next(mine, at(2))).toEqual(ids)
    expect(await next(mine, at(2), { limit: 4 })).toEqual(ids.slice(0, 4))
    expect(await next(mine, at(2), { bytes: 1 })).toEqual(ids.slice(0, 1))
    expect(await takeEvents(db, ids.slice(0, 7))).toEqual(new Set(ids.slice(0, 7)))
    expect(await next(mine, at(2))).toEqual(ids.slice(7))
  })

  it('holds back what has been put off, and gives it when its time has come', async () => {
    const mine = eventQueue()
    const ids = await store(mine, [at(1), at(2)], 2)
    await postponeEvents(db, ids.slice(0, 1), at(500))
    expect(await next(mine, at(499))).toEqual(ids.slice(1))
    expect(await next(mine, at(500))).toEqual([...ids.slice(1), ids[0]])
  })

  it('reads no more of a long backlog than a batch', async () => {
    const mine = eventQueue()
    const times = Array.from({ length: 10 }, (_, n) => at(n))
    const ids = await store(mine, times, 500)
    await db.transaction(async (tx) => {
      const before = await rowsRead(tx)
      expect(await next(mine, at(10), {}, tx)).toEqual(ids.slice(0, 100))
      expect((await rowsRead(tx)) - before).toBe(100)
    })
  })
})

/** Events that the connection of a transaction has read so far. */
async function rowsRead(tx: ProjectDb): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'inbound_events'`.execute(
    tx.sql,
  )
  return rows[0]?.read ?? 0
}
