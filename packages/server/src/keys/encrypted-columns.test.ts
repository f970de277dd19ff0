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

/** Bits of `pg_trigger.tgtype`. */
const [onInsert, onUpdate] = [4, 16]

const id = '0197b1c0-0000-7000-8000-00000000000f'

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
       where t.tgfoid = 'mortise.refuse_closed_encryption_key'::regproc and t.tgenabled = 'O'
      union all
      select tgrelid::regclass::text || '.' || split_part(encode(tgargs, 'escape'), '\\', 1)
        from pg_trigger
       where tgfoid = 'mortise.refuse_closed_encryption_keys'::regproc and tgenabled = 'O'
       group by 1 having bit_or(tgtype) = ${onInsert | onUpdate}`),
  ).toEqual(registered)
})

test('records under a retired key are refused, inserted or updated, and others are stored', async () => {
  const encrypted = (key: string) => `v1.${key}.content`
  const insert = (record: string, key: string) => `
    insert into records (project_id, installation_id, store_id, record_key, object_name, record_id, group_ref, provider,
           workspace, position, message_id, encrypted_content, touched_on)
    values ('${id}', '${id}', '${id}', '${record}', 'contacts', '${record}', 'acme', 'crm', '', 1, '${id}',
           '${encrypted(key)}', current_date)`
  await client.query(`set search_path = mortise; select set_config('mortise.project', '${id}', false)`)
  await client.query(`insert into encryption_keys (key_id, state) values ('00000001', 'retired')`)
  await client.query(insert('one', '00000002'))
  await expect(client.query(insert('two', '00000001'))).rejects.toThrow(/records.encrypted_content.*retired key/)
  await expect(
    client.query(
      `${insert('one', '00000001')} on conflict (project_id, installation_id, store_id, record_key)
         do update set encrypted_content = excluded.encrypted_content`,
    ),
  ).rejects.toThrow(/records.encrypted_content.*retired key/)
  const { rows } = await client.query<{ encrypted_content: string }>('select encrypted_content from records')
  expect(rows).toEqual([{ encrypted_content: encrypted('00000002') }])
})
