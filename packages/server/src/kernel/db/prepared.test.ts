import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createEmptyDatabase, openTestPool } from '../../testkit/test-database.ts'
import { prepareMarked } from './prepared.ts'

/** Real statements of a real pool with one connection: what it has prepared is asked from PostgreSQL itself. */

let testDatabase: Awaited<ReturnType<typeof createEmptyDatabase>>
let pool: pg.Pool
beforeAll(async () => {
  testDatabase = await createEmptyDatabase()
})
afterAll(() => testDatabase?.drop())
beforeEach(async () => {
  pool = openTestPool(testDatabase.url)
  prepareMarked(pool)
  await pool.query('drop table if exists things')
  await pool.query('create table things (id int primary key, name text)')
  await pool.query(`insert into things values (1, 'one'), (2, 'two')`)
  return () => pool.end()
})

const mark = '/* prepared */'
const find = `${mark} select * from things where id = $1`
const preparedTexts = async () =>
  (await pool.query<{ statement: string }>('select statement from pg_prepared_statements')).rows.map(
    ({ statement }) => statement,
  )

describe('a statement that is marked', () => {
  test('is prepared once per connection, and answers for whatever values', async () => {
    for (const [id, name] of [
      [1, 'one'],
      [2, 'two'],
      [1, 'one'],
    ])
      expect((await pool.query(find, [id])).rows).toEqual([{ id, name }])
    expect(await preparedTexts()).toEqual([find])
  })

  test('goes on when a newer node adds a column to its table', async () => {
    for (let time = 0; time < 7; time++) await pool.query(find, [1])
    await pool.query('alter table things add column size int default 3')
    expect((await pool.query(find, [1])).rows).toEqual([{ id: 1, name: 'one', size: 3 }])
    expect((await pool.query(find, [2])).rows).toEqual([{ id: 2, name: 'two', size: 3 }])
  })

  test('goes on in a transaction when a newer node adds a column to its table', async () => {
    for (let time = 0; time < 7; time++) await pool.query(find, [1])
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('alter table things add column size int default 3')
      expect((await client.query(find, [1])).rows).toEqual([{ id: 1, name: 'one', size: 3 }])
      await client.query('rollback')
    } finally {
      client.release()
    }
  })

  test('fails as it would without, in a transaction that has failed', async () => {
    const find = `${mark} select id, name from things where id = $1`
    for (let time = 0; time < 7; time++) await pool.query(find, [1])
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('alter table things alter column name type varchar')
      await expect(client.query(find, [1])).rejects.toMatchObject({ code: '0A000' })
      await client.query('rollback')
      expect((await client.query(find, [1])).rows).toEqual([{ id: 1, name: 'one' }])
    } finally {
      client.release()
    }
  })
})

test('what is not marked is planned for its values', async () => {
  await pool.query('select * from things where id = $1', [1])
  expect(await preparedTexts()).toEqual([])
})
