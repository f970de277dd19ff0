import { randomBytes } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { knownMigrations, migrate, newId, openDatabase, type ProjectDb } from './index.ts'

/** Row-level security, asked of PostgreSQL itself by statements that forgot their `where`. */

interface Table {
  name: string
  /** The column that names the project. */
  tenant: string
  isPartition: boolean
}

let testDatabase: TestDatabase
let superuser: pg.Client
let tables: Table[]
const projects: [string, string] = [newId(), newId()]
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  superuser = await connect(testDatabase.url, 'postgres')
  // Rows of two projects in every table that there is, without the rows that they would refer to, and whatever their checks say.
  await superuser.query('set session_replication_role = replica')
  await dropChecks(superuser)
  tables = await projectTables(superuser)
  for (const table of tables.filter(({ isPartition }) => !isPartition))
    for (const project of projects) await insertRow(superuser, table, project)
  // Nobody has rights on a partition itself. Here they are given, to see that it is protected as well.
  const names = tables.map(({ name }) => name).join(', ')
  await superuser.query(`grant select, insert, update, delete on ${names} to mortise_app`)
})
afterAll(async () => {
  await superuser?.end()
  await testDatabase?.drop()
})

async function connect(url: string, user: string, role?: string): Promise<pg.Client> {
  const to = new URL(url)
  to.username = user
  const options = `-c search_path=mortise${role ? ` -c role=${role}` : ''}`
  const client = new pg.Client({ connectionString: to.href, options })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Every table with a project, partitions included, as the catalog lists them now. */
async function projectTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select relname as name, relispartition as "isPartition", case relname when 'projects' then 'id' else 'project_id' end as tenant
      from pg_class c
     where relnamespace = 'mortise'::regnamespace and relkind in ('r', 'p')
       and (relname = 'projects' or exists (select from pg_attribute where attrelid = c.oid and attname = 'project_id'))
     order by relname`)
  expect(rows.length).toBeGreaterThan(50)
  return rows
}

async function dropChecks(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ drop: string }>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop
      from pg_constraint where contype = 'c' and coninhcount = 0 and connamespace = 'mortise'::regnamespace and conrelid <> 0`)
  for (const { drop } of rows) await client.query(drop)
}

/** A row whose other values are made up. */
async function insertStatement(client: pg.Client, { name, tenant }: Table, project: string): Promise<string> {
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped and (attnotnull and not atthasdef or attname = $2)`,
    [name, tenant],
  )
  const value = (type: string): string => {
    if (type === 'uuid') return `'${newId()}'`
    if (type === 'text') return `'${randomBytes(8).toString('hex')}'`
    if (type === 'bytea') return `'\\x${randomBytes(8).toString('hex')}'`
    if (type === 'boolean') return 'false'
    if (type === 'integer' || type === 'bigint' || type === 'smallint') return '1'
    if (type.startsWith('json')) return `'{}'`
    if (type.endsWith('[]')) return `'{}'`
    if (type.startsWith('timestamp')) return 'now()'
    throw new Error(`There is no value of type ${type} here: add one.`)
  }
  const values = columns.map((column) => (column.name === tenant ? `'${project}'` : value(column.type)))
  return `insert into ${name} (${columns.map((column) => column.name).join(', ')}) values (${values.join(', ')})`
}

async function insertRow(client: pg.Client, table: Table, project: string): Promise<void> {
  await client.query(await insertStatement(client, table, project))
}

/** Runs in a transaction that is undone, as the role and for the project of it. */
async function within<T>(
  client: pg.Client,
  { role, project }: { role: string; project?: string },
  work: () => Promise<T>,
): Promise<T> {
  await client.query('begin')
  try {
    await client.query(`set local session_replication_role = origin; set local role ${role}`)
    if (project) await client.query(`select set_config('mortise.project', $1, true)`, [project])
    return await work()
  } finally {
    await client.query('rollback')
  }
}

const count = async (text: string) => (await superuser.query(text)).rowCount
/** What is visible and can be changed without a condition. */
async function reach({ name, tenant }: Table) {
  const { rows } = await superuser.query<{ project: string | null }>(`select ${tenant} as project from ${name}`)
  return {
    seen: rows.map(({ project }) => project).toSorted(),
    updated: await count(`update ${name} set ${tenant} = ${tenant}`),
    deleted: await count(`delete from ${name}`),
  }
}

describe('every table of a project', () => {
  test('has policies that hold for its owner too, and that no partition lacks', async () => {
    const { rows } = await superuser.query<{ name: string }>(
      `
      select relname as name from pg_class c
       where relname = any($1) and relnamespace = 'mortise'::regnamespace
         and not (relrowsecurity and relforcerowsecurity and exists (select from pg_policy where polrelid = c.oid and polname = 'project'))`,
      [tables.map(({ name }) => name)],
    )
    expect(rows, 'their migration must call protect()').toEqual([])
  })

  test('shows, updates and deletes only rows of the project, in statements without a condition', async () => {
    let rows = 0
    for (const table of tables)
      for (const project of projects) {
        const reached = await within(superuser, { role: 'mortise_app', project }, () => reach(table))
        const own = table.isPartition ? reached.seen.length : 1
        expect(own).toBeLessThanOrEqual(1)
        rows += own
        expect({ table, ...reached }).toEqual({ table, seen: Array(own).fill(project), updated: own, deleted: own })
      }
    const partitioned = tables.filter(({ name }) => tables.some((part) => part.name.startsWith(`${name}_2`)))
    expect(partitioned.length).toBeGreaterThan(4)
    expect(rows).toBe(2 * (tables.filter(({ isPartition }) => !isPartition).length + partitioned.length))
  })

  test('shows nothing, and takes nothing, where no project is named', async () => {
    for (const table of tables) {
      const role = 'mortise_app'
      expect({ table, ...(await within(superuser, { role }, () => reach(table))) }).toEqual({
        table,
        seen: [],
        updated: 0,
        deleted: 0,
      })
      const insert = await insertStatement(superuser, table, projects[0])
      await expect(within(superuser, { role }, () => superuser.query(insert))).rejects.toThrow(
        /row-level security|partition/,
      )
    }
  })

  test('takes no row of another project, and gives none away', async () => {
    const [project, other] = projects
    const as = { role: 'mortise_app', project }
    for (const table of tables) {
      const insert = await insertStatement(superuser, table, other)
      await expect(within(superuser, as, () => superuser.query(insert))).rejects.toThrow(/row-level security|partition/)
      const { rowCount } = await within(superuser, as, () => superuser.query(`select from ${table.name}`))
      const give = () => superuser.query(`update ${table.name} set ${table.tenant} = '${other}'`)
      if (rowCount) await expect(within(superuser, as, give)).rejects.toThrow('row-level security')
    }
  })

  test('shows all of it to the system role and to the owner', async () => {
    for (const table of tables.filter(({ isPartition }) => !isPartition))
      for (const role of ['mortise_system', 'mortise_owner'])
        expect({ table, ...(await within(superuser, { role }, () => reach(table))) }).toMatchObject({
          table,
          seen: projects.toSorted(),
          updated: 2,
        })
  })

  test('is protected from the day that its partition is made', async () => {
    await sql`select ensure_partitions('2021-05-01', '2021-05-02')`.execute(testDatabase.database.system)
    const { rows } = await superuser.query<{ policies: string[] }>(`
      select array_agg(polname::text order by polname) as policies from pg_class join pg_policy on polrelid = pg_class.oid
       where relname ~ '_2021050[12]$' and relrowsecurity and relforcerowsecurity group by relname`)
    expect(rows).toEqual(Array(10).fill({ policies: ['owner', 'project', 'system'] }))
  })
})

test('a handle of a project sees its rows alone, in and outside a transaction', async () => {
  for (const project of projects) {
    const db = testDatabase.database.forProject(project)
    const seen = async ({ sql: of }: ProjectDb) =>
      (await sql<{ id: string }>`select project_id as id from messages`.execute(of)).rows.map(({ id }) => id)
    expect(await seen(db)).toEqual([project])
    expect(await db.transaction(seen)).toEqual([project])
    expect(await seen(testDatabase.database.forRenewal(project))).toEqual([project])
    expect(await seen({ ...db, sql: testDatabase.database.system })).toHaveLength(2)
  }
})

describe('the application role', () => {
  test('has rights on the tables of projects alone, and none on a partition itself', async () => {
    const fresh = await createTestDatabase()
    const client = await connect(fresh.url, 'postgres')
    onTestFinished(async () => {
      await client.end()
      await fresh.drop()
    })
    const { rows } = await client.query<{ name: string; rights: string }>(`
      select relname as name, string_agg(privilege_type, ' ' order by privilege_type) as rights
        from pg_class, aclexplode(relacl) where relnamespace = 'mortise'::regnamespace and relkind in ('r', 'p')
         and grantee = 'mortise_app'::regrole group by relname order by relname`)
    const ofProjects = tables.filter(({ isPartition }) => !isPartition).map(({ name }) => name)
    expect(rows.filter(({ name }) => !ofProjects.includes(name))).toEqual([
      { name: 'seal_keys', rights: 'SELECT' },
      { name: 'watches', rights: 'SELECT' },
    ])
    expect(rows.filter(({ name }) => ofProjects.includes(name))).toEqual(
      ofProjects.map((name) => ({ name, rights: 'DELETE INSERT SELECT UPDATE' })),
    )
  })

  test.each(['builders', 'orgs', 'memberships', 'sessions', 'signing_keys', 'kysely_migration'])(
    'may not read %s',
    async (table) => {
      await expect(
        sql`select from ${sql.table(table)}`.execute(testDatabase.database.forProject(projects[0]).sql),
      ).rejects.toThrow(/permission denied/)
    },
  )
})

describe('a database', () => {
  const open = (address: { url: string }) =>
    openDatabase({ address, poolSize: 2, applicationName: 'test', onError: () => undefined })

  test('of an earlier release is protected when it is opened, with the rows that it has', async () => {
    const old = await createEmptyDatabase()
    onTestFinished(() => old.drop())
    const ofOld = (await knownMigrations()).filter((name) => name < '0028')
    const owner = await connect(old.url, 'mortise_owner')
    const pool = {
      options: {},
      end: async () => undefined,
      connect: async () => Object.assign(owner, { release: () => undefined }),
    }
    await owner.query('create schema mortise')
    await migrate(new Kysely({ dialect: new PostgresDialect({ pool }) }), ofOld)
    await owner.query('begin; set constraints all deferred')
    for (const project of projects) {
      await owner.query(`insert into orgs (id, label) values ('${project}', 'org')`)
      await owner.query(
        `insert into projects (id, org_id, name, app_name) values ('${project}', '${project}', '${project}', 'app')`,
      )
      await owner.query(`insert into groups (project_id, group_ref, group_name) values ('${project}', 'acme', 'Acme')`)
      for (const id of [newId(), '0198c0de-0000-7000-8000-000000000001'])
        await owner.query(`insert into messages (project_id, id, destination_name, kind, payload, payload_bytes)
          values ('${project}', '${id}', 'hook', 'test', 'x', 1)`)
    }
    await owner.query('commit')
    await owner.end()

    const database = await old.open()
    for (const project of projects) {
      const { rows } = await sql`
        select project_id, (select count(*) from messages) as messages from groups`.execute(
        database.forProject(project).sql,
      )
      expect(rows).toEqual([{ project_id: project, messages: 2 }])
    }
    const { rows } = await sql`select count(*) as messages from messages`.execute(database.system)
    expect(rows).toEqual([{ messages: 4 }])
    const client = await connect(old.url, 'postgres')
    onTestFinished(() => client.end())
    const { rows: open } = await client.query(`
      select relname from pg_class c where relnamespace = 'mortise'::regnamespace and relkind in ('r', 'p')
         and (relname = 'projects' or exists (select from pg_attribute where attrelid = c.oid and attname = 'project_id'))
         and not (relrowsecurity and relforcerowsecurity)`)
    expect(open).toEqual([])
  })

  test('under a login that is owner and service in one shows a project its rows alone, and the system all', async () => {
    const name = `plain_${randomBytes(6).toString('hex')}`
    const admin = new pg.Client({ ...inject('postgres'), user: 'postgres', database: 'postgres' })
    await admin.connect()
    await admin.query(`create role ${name} login`)
    await admin.query(`create database ${name} owner ${name} encoding 'UTF8' template template0`)
    onTestFinished(async () => {
      await admin.query(`drop database ${name} with (force)`)
      await admin.query(`drop role ${name}`)
      await admin.end()
    })
    const { host, port } = inject('postgres')
    const database = await open({
      url: `postgres://${name}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
    })
    onTestFinished(() => database.close())
    expect(database.rolesInUse).toBe(false)
    for (const project of projects)
      await sql`with org as (insert into orgs (id, label) values (${project}, 'org') returning id)
        insert into projects (id, org_id, name, app_name) select id, id, id, 'app' from org`.execute(database.system)
    for (const project of projects) {
      const { sql: own } = database.forProject(project)
      expect((await sql`select id from projects`.execute(own)).rows).toEqual([{ id: project }])
      expect((await sql`update projects set app_name = 'mine'`.execute(own)).numAffectedRows).toBe(1n)
    }
    expect((await sql`select from projects`.execute(database.system)).rows).toHaveLength(2)
  })

  test('whose owner has changed is opened with policies for the new one', async () => {
    const { database, url, open: openAgain, drop } = await createTestDatabase()
    onTestFinished(drop)
    const client = await connect(url, 'postgres')
    onTestFinished(() => client.end())
    // As a dump leaves it that was restored under another login.
    await client.query(`do $$ declare target regclass; begin
      for target in select polrelid from pg_policy where polname = 'owner' loop
        execute format('alter policy owner on %s to pg_monitor', target);
      end loop; end $$`)
    await sql`select ensure_partitions('2020-01-01', '2020-01-01')`.execute(database.system)
    await client.query(`do $$ begin execute 'alter policy owner on messages_20200101 to pg_monitor'; end $$`)
    const drops = () => sql<{ name: string }>`select drop_partitions('2020-01-02') as name`.execute(database.system)
    await expect(drops()).rejects.toThrow('row-level security hides messages_20200101 from its owner')
    await openAgain()
    expect((await drops()).rows).toHaveLength(5)
    const { rows } = await client.query(
      `select distinct polroles::regrole[]::text as roles from pg_policy where polname = 'owner'`,
    )
    expect(rows).toEqual([{ roles: '{mortise_owner}' }])
  })
})
