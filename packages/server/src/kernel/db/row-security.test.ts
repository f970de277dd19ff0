import { randomBytes } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { knownMigrations, migrate, newId, openDatabase, type ProjectDb } from './index.ts'
import { connectAs, openTwoProjects, type Table, type TwoProjects } from './two-projects.testkit.ts'

/** The audit log is append-only. */
const appendOnly: Record<string, string> = {
  audit_entries: 'INSERT SELECT',
  audit_seals: 'SELECT',
  audit_unsealed: 'INSERT SELECT',
}

/** Row-level security, asked of PostgreSQL itself by statements that forgot their `where`. */

let kit: TwoProjects
let testDatabase: TestDatabase
let superuser: pg.Client
let tables: Table[]
let projects: [string, string]
beforeAll(async () => {
  kit = await openTwoProjects()
  ;({ testDatabase, superuser, tables, projects } = kit)
})
afterAll(() => kit?.close())

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
        const reached = await kit.reach({ role: 'mortise_app', project }, table)
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
      expect({ table, ...(await kit.reach({ role }, table)) }).toEqual({
        table,
        seen: [],
        updated: 0,
        deleted: 0,
      })
      const insert = await kit.insertStatement(table, projects[0])
      await expect(kit.within({ role }, () => superuser.query(insert))).rejects.toThrow(/row-level security|partition/)
    }
  })

  test('takes no row of another project, and gives none away', async () => {
    const [project, other] = projects
    const as = { role: 'mortise_app', project }
    for (const table of tables) {
      const insert = await kit.insertStatement(table, other)
      await expect(kit.within(as, () => superuser.query(insert))).rejects.toThrow(/row-level security|partition/)
      const { rowCount } = await kit.within(as, () => superuser.query(`select from ${table.name}`))
      const give = () => superuser.query(`update ${table.name} set ${table.tenant} = '${other}'`)
      if (rowCount) await expect(kit.within(as, give)).rejects.toThrow('row-level security')
    }
  })

  test('shows all of it to the system role and to the owner', async () => {
    for (const table of tables.filter(({ isPartition }) => !isPartition))
      for (const role of ['mortise_system', 'mortise_owner'])
        expect({ table, ...(await kit.reach({ role }, table)) }).toMatchObject({
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
    const client = await connectAs(fresh.url, 'postgres')
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
      { name: 'encryption_keys', rights: 'SELECT' },
      { name: 'watches', rights: 'SELECT' },
    ])
    expect(rows.filter(({ name }) => ofProjects.includes(name))).toEqual(
      ofProjects.map((name) => ({ name, rights: appendOnly[name] ?? 'DELETE INSERT SELECT UPDATE' })),
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
    const owner = await connectAs(old.url, 'mortise_owner')
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
    const client = await connectAs(old.url, 'postgres')
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
    const client = await connectAs(url, 'postgres')
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
