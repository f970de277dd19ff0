import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testkit/test-database.ts'
import { encryptedColumns } from './encrypted-columns.ts'

let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

const registered = encryptedColumns.map(({ table, column }) => `${table}.${column}`).toSorted()
const named = async (query: string) =>
  (await client.query<{ name: string }>(query)).rows.map(({ name }) => name.replace('mortise.', '')).toSorted()

test('every column that is named for encrypted values is registered, and nothing else', async () => {
  expect(
    await named(`
      select c.relname || '.' || a.attname as name
        from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'mortise'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attnum > 0 and not a.attisdropped and (a.attname like '%encrypted%' or a.attname = 'previous_secrets')`),
  ).toEqual(registered)
})

test('the database refuses a value under a retired key in each of them', async () => {
  expect(
    await named(`
      select t.tgrelid::regclass::text || '.' || a.attname as name
        from pg_trigger t join pg_attribute a on a.attrelid = t.tgrelid and a.attnum = any(t.tgattr)
       where t.tgfoid = 'mortise.refuse_closed_encryption_key'::regproc and t.tgenabled = 'O'`),
  ).toEqual(registered)
})
