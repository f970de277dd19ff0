import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { type Database, type DatabaseAddress, isId, newId, openDatabase, type ProjectDb } from './index.ts'

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.database
})
afterAll(() => testDatabase.drop())

const onError = () => undefined
const open = (address: DatabaseAddress) => openDatabase({ address, poolSize: 2, applicationName: 'test', onError })

/** Two projects, and the bound database of each. */
async function twoProjects(): Promise<[ProjectDb, ProjectDb]> {
  const make = async () => {
    const id = newId()
    await sql`insert into orgs (id, label) values (${id}, 'org')`.execute(database.system)
    await sql`insert into projects (id, org_id, name, app_name) values (${id}, ${id}, ${id}, 'app')`.execute(
      database.system,
    )
    return database.forProject(id)
  }
  return [await make(), await make()]
}

async function insertGroup(db: ProjectDb, ref: string): Promise<void> {
  await sql`insert into groups (project_id, group_ref, group_name) values (${db.projectId}, ${ref}, ${ref})`.execute(
    db.sql,
  )
}

const groupsOf = async (db: ProjectDb): Promise<string[]> =>
  (
    await sql<{
      group_ref: string
    }>`select group_ref from groups where project_id = ${db.projectId} order by group_ref`.execute(db.sql)
  ).rows.map((row) => row.group_ref)

/** An empty database on a server, dropped when the test has finished. */
async function emptyDatabase(superuser: pg.ClientConfig, owner: string | undefined): Promise<string> {
  const name = `empty_${randomBytes(8).toString('hex')}`
  const run = async (statement: string) => {
    const client = new pg.Client(superuser)
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await run(`create database ${name}${owner ? ` owner ${owner}` : ''} encoding 'UTF8' template template0`)
  onTestFinished(() => run(`drop database if exists ${name} with (force)`))
  return name
}

const embedded = () => ({ ...inject('postgres'), user: 'postgres', database: 'postgres' })

describe('opening', () => {
  test('by three nodes at once migrates an empty database once', async () => {
    const name = await emptyDatabase(embedded(), 'mortise_owner')
    const address = { ...inject('postgres'), user: 'mortise_owner', database: name }
    const nodes = await Promise.all([open(address), open(address), open(address)])
    try {
      for (const node of nodes) {
        expect(await node.pending()).toEqual([])
        expect(node.rolesInUse).toBe(true)
      }
      const { rows } = await sql<{ name: string; times: number }>`
        select name, count(*)::int as times from kysely_migration group by name order by name`.execute(nodes[0]!.system)
      expect(rows[0]).toEqual({ name: '0001-foundations', times: 1 })
      expect(rows.every(({ times }) => times === 1)).toBe(true)
    } finally {
      await Promise.all(nodes.map((node) => node.close()))
    }
  })

  test('grants what the roles lack, also when the schema is current', async () => {
    const name = await emptyDatabase(embedded(), 'mortise_owner')
    const address = { ...inject('postgres'), user: 'mortise_owner', database: name }
    await (await open(address)).close()
    const owner = new pg.Client(address)
    await owner.connect()
    await owner.query(
      'revoke all on schema mortise from mortise_app; revoke all on all tables in schema mortise from mortise_app',
    )
    await owner.end()
    const again = await open(address)
    try {
      const { rows } = await sql`select count(*)::int as count from groups`.execute(again.forProject(newId()).sql)
      expect(rows).toEqual([{ count: 0 }])
    } finally {
      await again.close()
    }
  })

  test('a server that is not there is refused, and leaves nothing open', async () => {
    await expect(open({ host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' })).rejects.toThrow('ECONNREFUSED')
  })

  test('a database in another encoding is refused', async () => {
    const name = `ascii_${randomBytes(8).toString('hex')}`
    const client = new pg.Client(embedded())
    await client.connect()
    try {
      await client.query(`create database ${name} encoding 'SQL_ASCII' template template0`)
      await expect(open({ ...embedded(), database: name })).rejects.toThrow(
        'The database must be encoded in UTF8; this one is in SQL_ASCII.',
      )
      await client.query(`drop database ${name}`)
    } finally {
      await client.end()
    }
  })

  test("works on another server of the machine's own, by URL", async (context) => {
    const url = new URL('postgres://root@127.0.0.1:5432/test')
    const there = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 1_000 })
    try {
      await there.connect()
    } catch {
      context.skip('no PostgreSQL of the machine answers at 127.0.0.1:5432')
    }
    const { rows } = await there.query<{ super: boolean }>(
      'select rolsuper or rolcreatedb as super from pg_roles where rolname = current_user',
    )
    await there.end()
    if (!rows[0]?.super) context.skip('the login at 127.0.0.1:5432 may not create databases')
    url.pathname = await emptyDatabase({ connectionString: url.href }, undefined)
    const nodes = await Promise.all([open({ url: url.href }), open({ url: url.href })])
    try {
      const id = newId()
      const [node] = nodes
      await sql`insert into orgs (id, label) values (${id}, 'org')`.execute(node.system)
      await sql`insert into projects (id, org_id, name, app_name) values (${id}, ${id}, 'shop', 'app')`.execute(
        node.system,
      )
      await node.forProject(id).transaction((tx) => insertGroup(tx, 'a'))
      expect(await groupsOf(nodes[1].forProject(id))).toEqual(['a'])
      if (node.rolesInUse)
        await expect(sql`create table mortise.mine (id int)`.execute(node.forProject(id).sql)).rejects.toThrow(
          'permission denied',
        )
    } finally {
      await Promise.all(nodes.map((node) => node.close()))
    }
  })
})

describe('the roles', () => {
  const asApp = () => database.forProject(newId()).sql

  test.each([
    'create table mortise.mine (id int)',
    'create table public.mine (id int)',
    'create schema mine',
    'alter table groups add column mine int',
    'drop table groups',
    'truncate groups',
    'create function mortise.mine() returns int language sql as $$ select 1 $$',
    "insert into kysely_migration (name, timestamp) values ('9999-mine', 'now')",
    'delete from kysely_migration',
    'update kysely_migration_lock set is_locked = 1',
    'select ensure_partitions(current_date, current_date)',
    'select drop_expired_partitions(current_date, now())',
    'create table mortise_jobs.mine (id int)',
    'drop table mortise_jobs.queue',
  ])('that of a project may not: %s', async (statement) => {
    await expect(sql.raw(statement).execute(asApp())).rejects.toThrow(/permission denied|must be owner/)
  })

  test.each([
    'alter table groups add column mine int',
    'drop table groups',
    'create table mortise.mine (id int)',
    'delete from kysely_migration',
  ])('that of the system may not: %s', async (statement) => {
    await expect(sql.raw(statement).execute(database.system)).rejects.toThrow(/permission denied|must be owner/)
  })

  test('own no table of ours, and are neither superusers nor past row-level security', async () => {
    const { rows: owners } = await sql<{ owner: string }>`
      select distinct tableowner as owner from pg_tables where schemaname = 'mortise'`.execute(database.system)
    expect(owners).toEqual([{ owner: 'mortise_owner' }])
    const { rows } = await sql`
      select rolname, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolcanlogin as too_much
        from pg_roles where rolname in ('mortise_app', 'mortise_system') order by rolname`.execute(database.system)
    expect(rows).toEqual([
      { rolname: 'mortise_app', too_much: false },
      { rolname: 'mortise_system', too_much: false },
    ])
    const { rows: who } = await sql`select current_user as who`.execute(asApp())
    expect(who).toEqual([{ who: 'mortise_app' }])
  })
})

describe('partitions', () => {
  const partitions = async (of: string): Promise<string[]> =>
    (
      await sql<{ name: string }>`select relname as name from pg_class join pg_inherits on pg_class.oid = inhrelid
        where inhparent = ${`mortise.${of}`}::regclass order by relname`.execute(database.system)
    ).rows.map((row) => row.name)

  /** A UUIDv7 of that day. */
  const idOn = (day: string) =>
    `${new Date(day)
      .getTime()
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')}-7000-8000-000000000001`

  const insertMessage = (id: string, projectId: string, state: string) =>
    sql`insert into messages (project_id, id, destination_name, kind, state, payload, payload_bytes)
      values (${projectId}, ${id}, 'hook', 'read', ${state}, ${Buffer.from('x')}, 1)`.execute(database.system)

  test('there is one for each day of the coming week, and one for the rest', async () => {
    const names = await partitions('messages')
    expect(names).toContain('messages_rest')
    const { rows } = await sql<{ today: string }>`select to_char(current_date, 'YYYYMMDD') as today`.execute(
      database.system,
    )
    expect(names).toContain(`messages_${rows[0]?.today}`)
    expect(names).toHaveLength(10)
  })

  test('are made as often as one likes, by several at once', async () => {
    const ensure = () => sql`select ensure_partitions('2020-03-01', '2020-03-03')`.execute(database.system)
    await Promise.all([ensure(), ensure(), ensure()])
    for (const table of ['operations', 'operation_logs', 'messages', 'message_results', 'attempts'])
      expect(await partitions(table)).toEqual(expect.arrayContaining([`${table}_20200301`, `${table}_20200303`]))
  })

  test('hold the rows of their day: the first and the last millisecond', async () => {
    await sql`select ensure_partitions('2020-04-01', '2020-04-01')`.execute(database.system)
    const projectId = newId()
    const where = async (id: string) => {
      await insertMessage(id, projectId, 'delivered')
      const { rows } = await sql<{
        part: string
      }>`select tableoid::regclass::text as part from messages where id = ${id}`.execute(database.system)
      return rows[0]?.part
    }
    expect(await where(idOn('2020-04-01T00:00:00.000Z'))).toBe('messages_20200401')
    expect(await where(idOn('2020-04-01T23:59:59.999Z'))).toBe('messages_20200401')
    expect(await where(idOn('2020-04-02T00:00:00.000Z'))).toBe('messages_rest')
  })

  test('old ones are dropped, but for days on which something still waits', async () => {
    await sql`select ensure_partitions('2020-01-01', '2020-01-04')`.execute(database.system)
    const projectId = newId()
    const waiting = idOn('2020-01-02T12:00:00Z')
    await insertMessage(idOn('2020-01-01T12:00:00Z'), projectId, 'delivered')
    await insertMessage(waiting, projectId, 'pending')
    await sql`insert into operations (project_id, id, integration_id, installation_id, config_id, action_type, status)
      values (${projectId}, ${idOn('2020-01-03T12:00:00Z')}, ${newId()}, ${newId()}, ${newId()}, 'read', 'in_progress')`.execute(
      database.system,
    )
    const drop = async () =>
      (await sql<{ name: string }>`select drop_partitions('2020-01-04') as name`.execute(database.system)).rows.map(
        (row) => row.name,
      )
    expect(await drop()).toEqual(
      [
        ...['20200101', '20200103'].flatMap((day) => [`attempts_${day}`, `message_results_${day}`, `messages_${day}`]),
        ...['20200101', '20200102'].flatMap((day) => [`operation_logs_${day}`, `operations_${day}`]),
      ].sort(),
    )
    const kept = await sql`select id from messages where id = ${waiting}`.execute(database.system)
    expect(kept.rows).toHaveLength(1)
    await sql`update messages set state = 'failed' where id = ${waiting}`.execute(database.system)
    await sql`update operations set status = 'success' where id = ${idOn('2020-01-03T12:00:00Z')}`.execute(
      database.system,
    )
    expect(await drop()).toEqual([
      'attempts_20200102',
      'message_results_20200102',
      'messages_20200102',
      'operation_logs_20200103',
      'operations_20200103',
    ])
    expect(await partitions('messages')).toEqual(expect.arrayContaining(['messages_20200104', 'messages_rest']))
  })
})

describe('projects', () => {
  test('a row of one cannot be linked to a row of another', async () => {
    const [one, two] = await twoProjects()
    await insertGroup(one, 'acme')
    const connect = (db: ProjectDb) =>
      sql`insert into connections (project_id, id, provider, group_ref, consumer_ref, auth_scheme, status)
        values (${db.projectId}, ${newId()}, 'crm', 'acme', 'jo', 'apiKey', 'created')`.execute(db.sql)
    for (const db of [one, two])
      await sql`insert into consumers (project_id, consumer_ref, consumer_name) values (${db.projectId}, 'jo', 'Jo')`.execute(
        db.sql,
      )
    await connect(one)
    await expect(connect(two)).rejects.toThrow('violates foreign key constraint')
  })

  test('every foreign key of a table of a project leads with the project', async () => {
    const { rows } = await sql<{ name: string; columns: string[] }>`
      select conname as name, array(select attname::text from unnest(conkey) with ordinality as k(number, place)
        join pg_attribute on attrelid = conrelid and attnum = number order by place) as columns
        from pg_constraint where contype = 'f' and connamespace = 'mortise'::regnamespace
         and exists (select from pg_attribute where attrelid = conrelid and attname = 'project_id')`.execute(
      database.system,
    )
    expect(rows.length).toBeGreaterThan(5)
    expect(rows.filter(({ columns }) => columns[0] !== 'project_id')).toEqual([])
  })

  test('a transaction commits all or nothing', async () => {
    const [db] = await twoProjects()
    expect(await db.transaction(async (tx) => [tx.inTransaction, tx.projectId, await insertGroup(tx, 'kept')])).toEqual(
      [true, db.projectId, undefined],
    )
    const failed = db.transaction(async (tx) => {
      await insertGroup(tx, 'lost')
      expect(await groupsOf(tx)).toEqual(['kept', 'lost'])
      expect(await groupsOf(db)).toEqual(['kept'])
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await groupsOf(db)).toEqual(['kept'])
    expect(db.inTransaction).toBe(false)
  })

  test('does last what is to be done before its commit, as part of it', async () => {
    const [db] = await twoProjects()
    const order: string[] = []
    const write = (tx: ProjectDb, name: string) => async () => {
      order.push(name)
      await insertGroup(tx, name)
    }
    await db.transaction(async (tx) => {
      tx.beforeCommit(write(tx, 'first'))
      // One inside another ends with the outer one.
      await tx.transaction(async (inner) => inner.beforeCommit(write(inner, 'second')))
      order.push('work')
      expect(await groupsOf(tx)).toEqual([])
    })
    expect(order).toEqual(['work', 'first', 'second'])
    expect(await groupsOf(db)).toEqual(['first', 'second'])

    const failed = db.transaction(async (tx) => {
      await insertGroup(tx, 'lost')
      tx.beforeCommit(async () => {
        throw new Error('no')
      })
    })
    await expect(failed).rejects.toThrow('no')
    expect(await groupsOf(db)).toEqual(['first', 'second'])
    expect(() => db.beforeCommit(async () => undefined)).toThrow('no transaction')
  })

  test('a part of a transaction may fail alone, with what it put off to its end', async () => {
    const [db] = await twoProjects()
    await db.transaction(async (tx) => {
      await insertGroup(tx, 'kept')
      const part = tx.savepoint(async (part) => {
        await insertGroup(part, 'undone')
        part.beforeCommit(async () => {
          throw new Error('at its end')
        })
      })
      await expect(part).rejects.toThrow('at its end')
      await tx.savepoint(async (part) => part.beforeCommit(() => insertGroup(part, 'put off')))
      expect(await groupsOf(tx)).toEqual(['kept', 'put off'])
    })
    expect(await groupsOf(db)).toEqual(['kept', 'put off'])
    await expect(db.savepoint(async () => undefined)).rejects.toThrow('no transaction')
  })

  test('one inside another joins it, and is undone with it', async () => {
    const [db] = await twoProjects()
    const failed = db.transaction(async (tx) => {
      await tx.transaction((inner) => insertGroup(inner, 'inner'))
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await groupsOf(db)).toEqual([])
  })

  test('a connection that is cut off in the middle undoes the transaction, and the next one works', async () => {
    const [db] = await twoProjects()
    const owner = new pg.Client(testDatabase.url)
    await owner.connect()
    try {
      const cut = db.transaction(async (tx) => {
        await insertGroup(tx, 'lost')
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx.sql)
        await owner.query('select pg_terminate_backend($1)', [rows[0]?.pid])
        await insertGroup(tx, 'never')
      })
      await expect(cut).rejects.toThrow()
      expect(await groupsOf(db)).toEqual([])
    } finally {
      await owner.end()
    }
  })
})

describe('values', () => {
  test('ids sort by the time that they were made, however fast', () => {
    const ids = Array.from({ length: 10_000 }, newId)
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every(isId)).toBe(true)
  })

  test.each([
    '',
    'x',
    '0198c0de',
    '0198c0de-0000-7000-8000-00000000000',
    '0198c0de-0000-7000-8000-0000000000001',
    '0198c0de00007000800000000000001',
    "0198c0de-0000-7000-8000-000000000001'",
    '{0198c0de-0000-7000-8000-000000000001}',
    '0198c0de-0000-7000-8000-00000000000g',
    '0198c0de-0000-7000-8000-000000000001\n',
  ])('%j is no id', (text) => {
    expect(isId(text)).toBe(false)
  })

  test('counts are numbers, and times are kept to the millisecond in UTC', async () => {
    const { rows } = await sql<{ count: unknown; time: Date; zone: string }>`
      select count(*) as count, '2026-01-02T03:04:05.678+02:00'::timestamptz as time, current_setting('timezone') as zone from groups`.execute(
      database.system,
    )
    expect(typeof rows[0]?.count).toBe('number')
    expect(rows[0]?.time).toEqual(new Date('2026-01-02T01:04:05.678Z'))
    expect(rows[0]?.zone).toBe('UTC')
  })
})
