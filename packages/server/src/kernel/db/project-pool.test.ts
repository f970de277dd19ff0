import fc from 'fast-check'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createEmptyDatabase, openTestPool } from '../../testkit/test-database.ts'
import { newId } from './ids.ts'
import { nameStatements, prepared, unnamedStatements } from './prepared.ts'
import { createProjectDb, type ProjectDb } from './project-db.ts'
import { projectPool } from './project-pool.ts'
import type { PooledSettings } from './scoped-statement.ts'
import type { Tables } from './tables.ts'

/** Two projects share one real connection: what one leaves there, the other would find. */

/** Without a pooler, behind one that follows prepared statements, and behind one that does not. */
const settings = { search_path: 'public', application_name: 'pooled' }
const ways = [
  ['a connection that is lent to a project', undefined],
  ['a connection of a pooler that is lent to a project', { settings, prepares: true }],
  ['a connection of a pooler without prepared statements that is lent to a project', { settings, prepares: false }],
] as const

let testDatabase: Awaited<ReturnType<typeof createEmptyDatabase>>
let pool: pg.Pool
let projects: [ProjectDb, ProjectDb]
beforeAll(async () => {
  testDatabase = await createEmptyDatabase()
})
afterAll(() => testDatabase?.drop())
beforeEach(async () => {
  pool = openTestPool(testDatabase.url)
  await pool.query('drop table if exists things')
  await pool.query('create table things (id int primary key, name text)')
  await pool.query(`insert into things values (1, 'one'), (2, 'two')`)
})
afterEach(() => pool.end())

function twoProjects(pooled: PooledSettings | undefined): [ProjectDb, ProjectDb] {
  const run = pooled?.prepares === false ? unnamedStatements : nameStatements()
  const project = () => {
    const id = newId()
    return createProjectDb(
      new Kysely<Tables>({ dialect: new PostgresDialect({ pool: projectPool(pool, run, id, pooled) }) }),
      id,
    )
  }
  return [project(), project()]
}

const setting = "current_setting('mortise.project', true)"
const projectOf = async (db: ProjectDb) =>
  (await sql<{ project: string }>`select ${sql.raw(setting)} as project`.execute(db.sql)).rows[0]?.project
const preparedProjectOf = async (db: ProjectDb, value = 1) =>
  (await sql<{ project: string }>`${prepared} select ${sql.raw(setting)} as project, ${value}::int`.execute(db.sql))
    .rows[0]?.project
/** The settings as a statement that no project sends finds them. */
const leftBehind = async () =>
  (
    await pool.query<{ left: string | null }>(
      `select nullif(concat(${setting}, nullif(current_setting('application_name'), '')), '') as left`,
    )
  ).rows[0]?.left

/** Answers of the server that end a round trip. */
async function roundTrips(work: () => Promise<unknown>): Promise<number> {
  const client = (await pool.connect()) as pg.PoolClient & { connection: NodeJS.EventEmitter }
  client.release()
  let trips = 0
  const count = () => void trips++
  client.connection.on('readyForQuery', count)
  await work()
  client.connection.off('readyForQuery', count)
  return trips
}

describe.each<readonly [string, PooledSettings | undefined]>(ways)('%s', (_, pooled) => {
  beforeEach(() => {
    projects = twoProjects(pooled)
  })

  test('has the settings of a pooler in every statement and transaction', async () => {
    const shown = async (db: ProjectDb) =>
      (await sql<{ application_name: string }>`${prepared} show application_name`.execute(db.sql)).rows[0]
        ?.application_name
    const expected = pooled ? 'pooled' : ''
    expect(await shown(projects[0])).toBe(expected)
    expect(await projects[1].transaction(shown)).toBe(expected)
  })

  test('names the project in every statement and transaction, in no round trip of its own', async () => {
    const [db] = projects
    const plain = () => projectOf(db)
    const marked = () => preparedProjectOf(db)
    const transaction = () =>
      db.transaction(async (tx) => {
        expect([await projectOf(tx), await preparedProjectOf(tx)]).toEqual([db.projectId, db.projectId])
      })
    expect(await plain()).toBe(db.projectId)
    expect(await marked()).toBe(db.projectId)
    await transaction()
    for (const [work, trips] of [
      [plain, 1],
      [marked, 1],
      [transaction, 4],
    ] as const)
      expect(await roundTrips(work)).toBe(trips)
  })

  test('leaves nothing for the next project, whatever happens in between', { timeout: 60_000 }, async () => {
    const steps: Record<string, (db: ProjectDb) => Promise<unknown>> = {
      plain: async (db) => expect(await projectOf(db)).toBe(db.projectId),
      marked: async (db) => expect(await preparedProjectOf(db)).toBe(db.projectId),
      'without values': async (db) => expect((await sql`select 1 as one`.execute(db.sql)).rows).toEqual([{ one: 1 }]),
      'a refused text': (db) => expect(sql`selec 1`.execute(db.sql)).rejects.toMatchObject({ code: '42601' }),
      'a refused marked text': (db) =>
        expect(sql`${prepared} select * from missing where id = ${1}`.execute(db.sql)).rejects.toMatchObject({
          code: '42P01',
        }),
      'a refused value': (db) => expect(preparedProjectOf(db, 'x' as never)).rejects.toMatchObject({ code: '22P02' }),
      'a value that cannot be sent': (db) => {
        const circle: Record<string, unknown> = {}
        circle.circle = circle
        return expect(sql`select ${circle}`.execute(db.sql)).rejects.toThrow('circular')
      },
      'a cancelled statement': (db) =>
        expect(
          sql`with stop as (select pg_cancel_backend(pg_backend_pid())) select * from stop, pg_sleep(10)`.execute(
            db.sql,
          ),
        ).rejects.toMatchObject({ code: '57014' }),
      transaction: (db) =>
        db.transaction(async (tx) => {
          expect([await projectOf(tx), await preparedProjectOf(tx)]).toEqual([db.projectId, db.projectId])
        }),
      'statements of one connection': (db) =>
        db.sql.connection().execute(async (one) => {
          const both = createProjectDb(one, db.projectId)
          expect([await projectOf(both), await preparedProjectOf(both)]).toEqual([db.projectId, db.projectId])
        }),
      'a part that is undone': (db) =>
        db.transaction(async (tx) => {
          await expect(tx.savepoint(() => sql`selec 1`.execute(tx.sql))).rejects.toThrow('syntax error')
          expect(await projectOf(tx)).toBe(db.projectId)
        }),
      'a transaction that fails': (db) =>
        expect(db.transaction((tx) => sql`selec 1`.execute(tx.sql))).rejects.toThrow('syntax error'),
      'several statements at once': async (db) =>
        expect(await Promise.all([projectOf(db), preparedProjectOf(db), projectOf(db)])).toEqual(
          Array(3).fill(db.projectId),
        ),
    }
    const step = fc.record({ project: fc.constantFrom(0, 1), name: fc.constantFrom(...Object.keys(steps)) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (sequence) => {
        for (const { project, name } of sequence) {
          await steps[name]?.(projects[project as 0 | 1])
          expect(await leftBehind()).toBeNull()
        }
      }),
      { numRuns: 40 },
    )
    expect(pool.totalCount).toBe(1)
  })

  test('prepares a marked statement again, after a change of its table and after a refusal', async () => {
    const [db, other] = projects
    const all = (of: ProjectDb) => sql<{ id: number }>`${prepared} select * from things where id = ${1}`.execute(of.sql)
    for (let time = 0; time < 7; time++) await all(time % 2 ? db : other)
    await pool.query('alter table things add column size int default 3')
    expect((await all(db)).rows).toEqual([{ id: 1, name: 'one', size: 3 }])
    await pool.query('alter table things rename to stuff')
    await expect(all(other)).rejects.toThrow('"things" does not exist')
    await pool.query('alter table stuff rename to things')
    expect((await all(other)).rows).toEqual([{ id: 1, name: 'one', size: 3 }])
  })

  const prepares = pooled?.prepares !== false
  if (prepares)
    test('works again after the statements that it prepared were taken away', async () => {
      const [db] = projects
      await projectOf(db)
      await pool.query('deallocate all')
      await expect(projectOf(db)).rejects.toMatchObject({ code: '26000' })
      expect(await projectOf(db)).toBe(db.projectId)
    })

  test('reads values as the connection does', async () => {
    const types = new pg.TypeOverrides()
    types.setTypeParser(pg.types.builtins.INT8, Number)
    const typed = openTestPool(testDatabase.url, { types })
    try {
      const id = newId()
      const dialect = new PostgresDialect({ pool: projectPool(typed, nameStatements(), id) })
      expect((await sql`select 5::bigint as five`.execute(new Kysely({ dialect }))).rows).toEqual([{ five: 5 }])
    } finally {
      await typed.end()
    }
  })

  test.each(['', 'x', "0198c0de-0000-7000-8000-000000000001'"])('is refused to %j, which names no project', (id) => {
    expect(() => projectPool(pool, nameStatements(), id)).toThrow('must be a UUID')
  })
})
