import { sql } from 'kysely'
import type pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { type OptionsHandling, startOptionsFilter } from '../../testkit/options-filter.ts'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { type Database, type DatabaseAddress, newId, openDatabase, openOwnerSession } from './index.ts'

/** Two databases: the pooler leads to the first. */
async function behind(handling: OptionsHandling) {
  const filter = await startOptionsFilter(inject('postgres'), handling)
  onTestFinished(() => filter.close())
  const testDatabase = await createTestDatabase()
  onTestFinished(() => testDatabase.drop())
  return { testDatabase, pooled: at(testDatabase, filter.host), direct: at(testDatabase, inject('postgres').host) }
}

function at({ url }: TestDatabase, host: string, query: Record<string, string> = {}): DatabaseAddress {
  const to = new URL(url)
  for (const [name, value] of Object.entries({ host, ...query })) to.searchParams.set(name, value)
  return { url: to.href }
}

async function open(address: DatabaseAddress, directAddress?: DatabaseAddress): Promise<Database> {
  const database = await openDatabase({
    address,
    ...(directAddress && { directAddress }),
    poolSize: 2,
    applicationName: 'test',
    onError: () => undefined,
  })
  onTestFinished(() => database.close())
  return database
}

const shown = ['search_path', 'timezone', 'jit', 'statement_timeout', 'idle_in_transaction_session_timeout'] as const
const text = sql.raw(
  `select current_user::text as role, ${shown.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`,
)
const settingsIn = async (db: Parameters<typeof text.execute>[0]) => (await text.execute(db)).rows[0]
const ours = {
  search_path: 'mortise',
  timezone: 'UTC',
  jit: 'off',
  statement_timeout: '1min',
  idle_in_transaction_session_timeout: '30s',
}

describe.each<OptionsHandling>(['drops', 'refuses'])('behind a pooler that %s options of connections', (handling) => {
  test('every statement and transaction has its role and settings, and leaves none behind', async () => {
    const { pooled } = await behind(handling)
    const database = await open(pooled)
    expect(database.pooler).toEqual({ prepares: false })
    expect(database.rolesInUse).toBe(true)
    const app = database.forProject(newId())
    const renewal = database.forRenewal(newId())
    const asApp = { ...ours, role: 'mortise_app' }
    expect(await settingsIn(app.sql)).toEqual(asApp)
    expect(await app.transaction((tx) => settingsIn(tx.sql))).toEqual(asApp)
    expect(await settingsIn(renewal.sql)).toEqual({ ...asApp, idle_in_transaction_session_timeout: '40s' })
    const asSystem = { ...ours, role: 'mortise_system' }
    expect(await settingsIn(database.system)).toEqual(asSystem)
    expect(await database.system.transaction().execute(settingsIn)).toEqual(asSystem)
    expect((await sql`select ${1}::int as one, current_user as role`.execute(database.system)).rows).toEqual([
      { one: 1, role: 'mortise_system' },
    ])

    // Its transaction ends in the middle of the text, so the last statement has what the connection itself has.
    const results: unknown = await database.systemPool.query(
      `begin; select current_user as role; commit; select current_user as role, current_setting('search_path') as path`,
    )
    const [, inside, , left] = results as pg.QueryResult[]
    expect(inside?.rows).toEqual([{ role: 'mortise_system' }])
    expect(left?.rows).toEqual([{ role: 'mortise_owner', path: '"$user", public' }])
  })

  test('nothing is prepared by name, because the next transaction may run elsewhere', async () => {
    const { pooled } = await behind(handling)
    const database = await open(pooled)
    const marked = sql`/* prepared */ select ${1}::int as one, (select count(*) from pg_prepared_statements) as named`
    for (const db of [database.forProject(newId()).sql, database.system])
      for (let times = 0; times < 2; times++) expect((await marked.execute(db)).rows).toEqual([{ one: 1, named: 0 }])
  })

  test('a statement that fails leaves the connection usable', async () => {
    const { pooled } = await behind(handling)
    const database = await open(pooled)
    for (const db of [database.forProject(newId()).sql, database.system]) {
      await expect(sql`selec 1`.execute(db)).rejects.toThrow('syntax error')
      await expect(sql`select ${'x'}::int`.execute(db)).rejects.toThrow('invalid input syntax')
      await expect(db.transaction().execute((tx) => sql`selec 1`.execute(tx))).rejects.toThrow('syntax error')
      expect(await settingsIn(db)).toMatchObject(ours)
    }
  })

  test('there is no connection for notifications, unless an address without the pooler is named', async () => {
    const { pooled, direct } = await behind(handling)
    expect((await open(pooled)).connect).toBeUndefined()
    const database = await open(pooled, direct)
    const client = await database.connect?.()
    onTestFinished(async () => client?.end())
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    client?.on('notification', ({ payload }) => resolve(payload))
    await client?.query('listen mortise_test')
    await sql`select pg_notify('mortise_test', 'heard')`.execute(database.system)
    expect(await promise).toBe('heard')
  })

  test('work that needs a session is refused', async () => {
    const { pooled } = await behind(handling)
    await expect(openOwnerSession(pooled, 'test')).rejects.toThrow(/does not keep sessions. Set DATABASE_DIRECT_URL/)
    await expect(open(pooled, pooled)).rejects.toThrow('DATABASE_DIRECT_URL leads to a connection pooler')
  })

  test('a direct address of another database is refused', async () => {
    const { pooled } = await behind(handling)
    const other = await createTestDatabase()
    onTestFinished(() => other.drop())
    await expect(open(pooled, at(other, inject('postgres').host))).rejects.toThrow('the address of another database')
  })

  test('three nodes that start together migrate an empty database once', async () => {
    const { testDatabase, pooled } = await behind(handling)
    await sql`drop schema mortise cascade`.execute((await openOwnerSession({ url: testDatabase.url }, 'test')).db)
    const nodes = await Promise.all([open(pooled), open(pooled), open(pooled)])
    for (const node of nodes) expect(await node.pending()).toEqual([])
  })
})

test('options of a connection string add settings, and replace none of ours', async () => {
  const testDatabase = await createTestDatabase()
  onTestFinished(() => testDatabase.drop())
  const options = '-c work_mem=7MB -c search_path=public -c role=none -c jit=on'
  const database = await open(at(testDatabase, inject('postgres').host, { options }))
  expect(database.pooler).toBeUndefined()
  for (const db of [database.forProject(newId()).sql, database.system]) {
    expect(await settingsIn(db)).toMatchObject(ours)
    expect((await sql`show work_mem`.execute(db)).rows).toEqual([{ work_mem: '7MB' }])
  }
  expect(await settingsIn(database.forProject(newId()).sql)).toMatchObject({ role: 'mortise_app' })
})
