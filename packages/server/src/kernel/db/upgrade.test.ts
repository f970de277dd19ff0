import { sql } from 'kysely'
import pg from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createEmptyDatabase, createTestDatabase } from '../../testkit/test-database.ts'
import { knownMigrations, openOwnerSession, prepareRoles } from './index.ts'
import { lastRelease } from './last-release.ts'
import { migrate } from './migrate.ts'

/** Upgrades of a database that other nodes use meanwhile. */

const newest = '0060-keys-by-project'

/** A database without the migrations from `newest` on, and a client of its owner. */
async function openBefore() {
  const old = await createEmptyDatabase()
  onTestFinished(() => old.drop())
  const session = await openOwnerSession({ url: old.url }, 'old')
  await session.db.connection().execute(prepareRoles)
  const names = await knownMigrations()
  await migrate(session.db, names.slice(0, names.indexOf(newest)))
  await session.close()
  return { ...old, client: await connect(old.url) }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=mortise' })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const applied = async (client: pg.Client) =>
  (await client.query<{ name: string }>('select name from kysely_migration order by name')).rows.map(({ name }) => name)

it('a migration that waits for a lock lets others pass, and ends when it gets the lock', async () => {
  const { open, url, client } = await openBefore()
  await client.query('begin; select from api_keys')
  const upgrade = open()
  const other = await connect(url)
  // Read behind the migration: it ends before the lock does that the migration waits for.
  const isWaiting = async () =>
    (await other.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
      .rows.length > 0
  await vi.waitFor(async () => expect(await isWaiting()).toBe(true), 20_000)
  await other.query('select from api_keys')
  expect(await applied(other)).not.toContain(newest)
  await client.query('commit')
  await upgrade
  expect(await applied(other)).toEqual(await knownMigrations())
})

it('an upgrade that failed in the middle changes nothing, and the next start repeats it', async () => {
  const { open, client } = await openBefore()
  const before = await applied(client)
  await client.query('create table builder_idempotency_keys ()')
  await expect(open()).rejects.toThrow('relation "builder_idempotency_keys" already exists')
  expect(await applied(client)).toEqual(before)
  const { rows } = await client.query(`select to_regclass('api_keys_hash_key') is not null as kept`)
  expect(rows).toEqual([{ kept: true }])
  await client.query('drop table builder_idempotency_keys')
  await open()
  expect(await applied(client)).toEqual(await knownMigrations())
})

it('a node starts on the schema of the next release, and changes nothing of it', async () => {
  const { open, url, drop } = await createTestDatabase()
  onTestFinished(drop)
  const client = await connect(url)
  await client.query(`insert into kysely_migration (name, timestamp) values ('9998-next', now()::text)`)
  await client.query(`comment on function claim_due_messages is 'of the next release'`)
  const database = await open()
  expect(await database.pending()).toEqual([])
  await sql`select from groups`.execute(database.system)
  const { rows } = await client.query(`select obj_description('claim_due_messages'::regproc, 'pg_proc') as made`)
  expect(rows).toEqual([{ made: 'of the next release' }])
})

it('a node does not start on a schema that a later release has made unusable for it', async () => {
  const { open, url, drop } = await createTestDatabase()
  onTestFinished(drop)
  const client = await connect(url)
  const { rows } = await client.query(`select obj_description('kysely_migration'::regclass, 'pg_class') as oldest`)
  expect(rows).toEqual([{ oldest: lastRelease.migration }])
  await client.query(`insert into kysely_migration (name, timestamp) values ('9998-next', now()::text)`)
  await client.query(`comment on table kysely_migration is '9998-next'`)
  await expect(open()).rejects.toThrow('A newer release of Mortise has migrated the database')
})
