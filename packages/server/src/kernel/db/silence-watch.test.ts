import { sql } from 'kysely'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { type NetworkLink, startNetworkLink } from '../../testkit/network-link.ts'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { type Database, openDatabase } from './connection.ts'
import { newId } from './ids.ts'

/** How much longer than the silence that is looked into a statement takes here that must not be cut off. */
const longSeconds = 2
const silenceMs = 400

let testDatabase: TestDatabase
let link: NetworkLink
let database: Database
let errors: Error[]

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  link = await startNetworkLink(inject('postgres'))
  errors = []
  database = await openThroughLink()
})
afterEach(async () => {
  link.resume()
  await database.close()
  await link.close()
  await testDatabase.drop()
})

const openThroughLink = () =>
  openDatabase({
    address: { url: `postgres://mortise_owner@127.0.0.1:${link.port}${new URL(testDatabase.url).pathname}` },
    poolSize: 1,
    applicationName: 'silence',
    onError: (error) => void errors.push(error),
    silenceMs,
  })
const app = () => database.forProject(newId()).sql
const pidOfSession = async () =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(app())).rows[0]!.pid
const longStatement = sql`select pg_sleep(${longSeconds})`

test.each(['everything', 'forgotten'] as const)(
  'a statement into a silence rejects, and its connection is not used again: %s',
  async (which) => {
    const before = await pidOfSession()
    link.silence(which)
    await expect(pidOfSession()).rejects.toMatchObject({ code: 'ETIMEDOUT', syscall: 'read' })
    if (which === 'everything') {
      await expect(pidOfSession()).rejects.toThrow(/timeout/)
      link.resume()
    }
    expect(await pidOfSession()).not.toBe(before)
  },
)

test('a statement whose answer is lost on its way rejects', async () => {
  await pidOfSession()
  const asked = longStatement.execute(app())
  const told = expect(asked).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  link.silence('forgotten')
  await told
})

test('a transaction that falls silent is undone, and lets go of its rows', async () => {
  const id = newId()
  await sql`insert into orgs (id, label) values (${id}, 'before')`.execute(database.system)
  const late = database.system.transaction().execute(async (tx) => {
    await sql`update orgs set label = 'late' where id = ${id}`.execute(tx)
    link.silence('forgotten')
    await sql`select 1`.execute(tx)
  })
  // What it could not undo itself, the server undoes.
  await expect(late).rejects.toThrow('Client has encountered a connection error')
  link.resume()
  await sql`update orgs set label = 'after' where id = ${id}`.execute(database.system)
  const { rows } = await sql`select label from orgs where id = ${id}`.execute(database.system)
  expect(rows).toEqual([{ label: 'after' }])
})

test('a statement that runs long is not cut off, nor one that waits for it', async () => {
  const pid = await pidOfSession()
  const id = newId()
  await sql`insert into orgs (id, label) values (${id}, 'one')`.execute(database.system)
  const [first] = await Promise.all([
    database.system.transaction().execute(async (tx) => {
      await sql`select from orgs where id = ${id} for update`.execute(tx)
      await longStatement.execute(tx)
      return 'done'
    }),
    longStatement.execute(app()),
    sql`update orgs set label = 'two' where id = ${id}`.execute(database.system),
  ])
  expect(first).toBe('done')
  expect(await pidOfSession()).toBe(pid)
  expect(errors).toEqual([])
})

test('a transaction that waits for something else is left alone', async () => {
  await app()
    .transaction()
    .execute(async (tx) => {
      await sql`select 1`.execute(tx)
      await longStatement.execute(database.system)
      await sql`select 1`.execute(tx)
    })
  expect(errors).toEqual([])
})

test('a connection that listens is found when it falls silent, and not before', async () => {
  const client = await database.connect!()
  let isEnded = false
  client.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => {
    client.once('end', () => {
      isEnded = true
      resolve()
    })
  })
  await client.query('listen nothing')
  await longStatement.execute(app())
  expect(isEnded).toBe(false)
  link.silence('forgotten')
  await ended
})

test('closing does not wait for what fell silent', async () => {
  await pidOfSession()
  link.silence()
  await database.close()
  link.resume()
  database = await openThroughLink()
})
