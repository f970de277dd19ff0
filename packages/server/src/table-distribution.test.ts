import { parsePlPgSQLSync } from 'libpg-query'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { projectJoins } from '../../../scripts/tables/project-joins.mjs'
import { knownMigrations, migrate, openOwnerSession, prepareRoles } from './kernel/db/index.ts'
import { outsideProjects } from './table-distribution.ts'
import { tableOwners } from './table-owners.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './testkit/test-database.ts'

/** What a distributed PostgreSQL demands of the schema, asked of the catalog of a migrated database. */

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

const outside = Object.keys(outsideProjects)
const references = outside.filter((table) => outsideProjects[table]?.[0] === 'reference')

/** Lists the tables, keys and foreign keys that keep the schema from being distributed by project, each with why. */
async function faults(): Promise<string[]> {
  const { rows } = await client.query<{ fault: string }>(
    `with tables as (
       select c.oid, c.relname as name, a.attnum as project, coalesce(a.attnotnull, false) as is_required
         from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped
        where c.relnamespace = 'mortise'::regnamespace and c.relkind in ('r', 'p')
     ), own as (select * from tables where name <> all($1))
     select name || ' has no project_id that is not null' as fault from own where not is_required
     union all
     select name || ' has no primary key' from own
      where not exists (select from pg_index where indrelid = own.oid and indisprimary)
     union all
     select indexrelid::regclass || ' of ' || name || ' is unique without project_id'
       from own join pg_index on indrelid = own.oid
      where indisunique and (project is null or project <> all(indkey[0:indnkeyatts - 1]))
     union all
     select conname || ' of ' || name || ' excludes rows of other projects'
       from own join pg_constraint on conrelid = own.oid where contype = 'x'
     union all
     select f.conname || ' of ' || own.name || ' refers to ' || target.name || ' without project_id'
       from own join pg_constraint f on f.conrelid = own.oid and f.contype = 'f' join tables target on target.oid = f.confrelid
      where target.name <> all($2)
        and not exists (select from unnest(f.conkey, f.confkey) as pair (here, there)
                         where here = own.project and there = target.project)
     union all
     select f.conname || ' of ' || source.name || ' refers from outside of projects to ' || own.name
       from own join pg_constraint f on f.confrelid = own.oid and f.contype = 'f' join tables source on source.oid = f.conrelid
      where source.name = any($1)
     union all
     select table_name || ' does not exist, or belongs to a project' from unnest($1::text[]) as table_name
      where not exists (select from tables where name = table_name and project is null)
     order by 1`,
    [outside, references],
  )
  return rows.map(({ fault }) => fault)
}

test('every table of a project has the project in its primary key, its unique keys and its foreign keys', async () => {
  expect(await faults()).toEqual([])
})

test.each([
  ['create table mortise.things (id uuid primary key)', 'things has no project_id that is not null'],
  ['create table mortise.things (project_id uuid not null)', 'things has no primary key'],
  [
    'create unique index things_hash on mortise.api_keys (hash)',
    'mortise.things_hash of api_keys is unique without project_id',
  ],
  [
    'create unique index things_hash on mortise.api_keys (hash) include (project_id)',
    'mortise.things_hash of api_keys is unique without project_id',
  ],
  [
    `create table mortise.things (project_id uuid not null, id uuid, other uuid,
       primary key (project_id, id), constraint link foreign key (other, id) references mortise.destinations (project_id, id))`,
    'link of things refers to destinations without project_id',
  ],
  [
    `create table mortise.things (project_id uuid not null, id uuid, org uuid,
       primary key (project_id, id), constraint link foreign key (org) references mortise.builders)`,
    'link of things refers to builders without project_id',
  ],
  [
    `alter table mortise.orgs add a uuid, add b text,
       add constraint link foreign key (a, b) references mortise.groups (project_id, group_ref)`,
    'link of orgs refers from outside of projects to groups',
  ],
  ['alter table mortise.sessions add project_id uuid', 'sessions does not exist, or belongs to a project'],
])('the check finds what %s breaks', async (change, fault) => {
  await client.query('begin')
  onTestFinished(async () => void (await client.query('rollback')))
  await client.query(change)
  expect(await faults()).toContain(fault)
})

test('no statement of a function in the database joins across projects', async () => {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select proname as name, pg_get_functiondef(p.oid) as definition
      from pg_proc p join pg_language l on l.oid = prolang
     where pronamespace = 'mortise'::regnamespace and lanname = 'plpgsql'`)
  const statements = rows.flatMap(({ name, definition }) =>
    queriesIn(parsePlPgSQLSync(definition)).map((text) => ({ name, text })),
  )
  expect(statements.map(({ name }) => name)).toContain('claim_due_messages')
  const isOfProject = (table: string) => table in tableOwners && !(table in outsideProjects)
  const crossing = statements.filter(({ text }) =>
    projectJoins(text, isOfProject).some(({ faults }) => faults.length > 0),
  )
  expect(crossing).toEqual([])
})

/** The statements of a parsed function, without its expressions and assignments. */
function queriesIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { query } = node as { query?: unknown }
  const isStatement = typeof query === 'string' && /^\s*(select|insert|update|delete|with)\b/i.test(query)
  return [...(isStatement ? [query] : []), ...Object.values(node).flatMap(queriesIn)]
}

test('requests of builders without a project keep their answers when they move to a table of their own', async () => {
  const old = await createEmptyDatabase()
  onTestFinished(() => old.drop())
  const session = await openOwnerSession({ url: old.url }, 'old')
  onTestFinished(() => session.close())
  await session.db.connection().execute(prepareRoles)
  const names = await knownMigrations()
  await migrate(session.db, names.slice(0, names.indexOf('0060-keys-by-project')))
  await session.client.query(`
    with org as (insert into orgs (id, label) values (gen_random_uuid(), 'o') returning id)
    insert into projects (id, org_id, name, app_name) select gen_random_uuid(), id, 'p', 'p' from org`)
  await session.client.query(`
    insert into idempotency_keys (id, project_id, fingerprint, status, encrypted_answer)
    values ('builder', null, 'f', 201, 'v1.answer'), ('project', (select id from projects), 'f', null, null)`)
  await migrate(session.db)
  const list = async (table: string) =>
    (await session.client.query(`select convert_from(id, 'utf8') as id, status, encrypted_answer from ${table}`)).rows
  expect(await list('builder_idempotency_keys')).toEqual([
    { id: 'builder', status: 201, encrypted_answer: 'v1.answer' },
  ])
  expect(await list('idempotency_keys')).toEqual([{ id: 'project', status: null, encrypted_answer: null }])
})
