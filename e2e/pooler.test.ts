import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { install, prepare } from '../bench/rig/bench-crm.ts'
import { startPart } from '../bench/rig/part.ts'
import { findPgBouncer, noPgBouncer, startPgBouncer } from '../bench/rig/pgbouncer.ts'
import { recordsPerPage } from '../bench/rig/record-size.ts'
import { startService } from '../bench/rig/service.ts'
import { temporaryFolder } from '../bench/rig/temporary-folder.ts'
import { openForTest } from '../packages/server/src/features/messaging/kinds/conformance.testkit.ts'
import { postgres } from '../packages/server/src/features/messaging/kinds/postgres/index.ts'
import { recordMessages } from '../packages/server/src/features/messaging/kinds/tables/record-message.testkit.ts'
import { backUp } from '../packages/server/src/index.ts'
import { type Database, newId, openDatabase, type ProjectDb } from '../packages/server/src/kernel/db/index.ts'
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../packages/server/src/testkit/test-database.ts'

const found = await findPgBouncer()
if (!found && process.env['MORTISE_REQUIRE_PGBOUNCER'] === '1') throw new Error(noPgBouncer)
if (!found) console.warn(`Tests with a real PgBouncer are skipped. ${noPgBouncer}`)

/** Starts a PgBouncer in transaction mode before the PostgreSQL of this run. */
async function startPooler(settings: Record<string, string> = {}) {
  const folder = await temporaryFolder()
  const pooler = await startPgBouncer(folder.path, inject('postgres'), settings)
  onTestFinished(async () => {
    await pooler.stop()
    await folder[Symbol.asyncDispose]()
  })
  return {
    urlOf({ url }: Pick<TestDatabase, 'url'>) {
      const to = new URL(url)
      to.port = String(pooler.port)
      to.searchParams.set('host', pooler.host)
      return to.href
    },
  }
}

async function open(url: string, settings: { poolSize?: number; silenceMs?: number } = {}): Promise<Database> {
  const database = await openDatabase({
    address: { url },
    poolSize: 8,
    applicationName: 'test',
    onError: () => undefined,
    ...settings,
  })
  onTestFinished(() => database.close())
  return database
}

async function withGroup(database: Database): Promise<ProjectDb> {
  const id = newId()
  await sql`with org as (insert into orgs (id, label) values (${id}, 'org') returning id)
    insert into projects (id, org_id, name, app_name) select id, id, id, 'app' from org`.execute(database.system)
  const db = database.forProject(id)
  await sql`insert into groups (project_id, group_ref, group_name) values (${id}, 'acme', 'Acme')`.execute(db.sql)
  return db
}

describe.skipIf(!found)('behind PgBouncer in transaction mode', () => {
  test('many clients on two connections to the server see their own project alone, whatever they run', async () => {
    const pooler = await startPooler({ default_pool_size: '2', ignore_startup_parameters: 'options' })
    const testDatabase = await createTestDatabase()
    onTestFinished(() => testDatabase.drop())
    const nodes = [await open(pooler.urlOf(testDatabase)), await open(pooler.urlOf(testDatabase))]
    const projects = await Promise.all(Array.from({ length: 6 }, () => withGroup(nodes[0]!)))
    const backends = new Set<number>()

    interface Row {
      project_id: string
      pid: number
      role: string
    }
    const seesItself = async (db: ProjectDb, of: ProjectDb, mark = '') => {
      // Without a condition: the policies alone decide.
      const { rows } = await sql<Row>`${sql.raw(mark)} select project_id, pg_backend_pid() as pid, current_user as role
        from groups where ${1}::int = 1`.execute(db.sql)
      for (const { pid } of rows) backends.add(pid)
      expect(rows.map(({ project_id, role }) => [project_id, role])).toEqual([[of.projectId, 'mortise_app']])
    }
    const steps: ((db: ProjectDb, node: Database) => Promise<unknown>)[] = [
      (db) => seesItself(db, db),
      (db) => seesItself(db, db, '/* prepared */'),
      (db, node) => seesItself(node.forRenewal(db.projectId), db),
      (db) =>
        db.transaction(async (tx) => {
          await seesItself(tx, db)
          await expect(tx.savepoint(() => sql`selec 1`.execute(tx.sql))).rejects.toThrow('syntax error')
          await seesItself(tx, db, '/* prepared */')
        }),
      (db) => expect(sql`selec 1`.execute(db.sql)).rejects.toThrow('syntax error'),
      (db) => expect(db.transaction((tx) => sql`select 1 / 0 from groups`.execute(tx.sql))).rejects.toThrow('by zero'),
      async (db) => {
        const { numAffectedRows } = await sql`update groups set group_name = group_name`.execute(db.sql)
        expect(numAffectedRows).toBe(1n)
      },
      async (_, node) => {
        const { rows } = await sql`select count(*) as groups, current_user as role from groups`.execute(node.system)
        expect(rows).toEqual([{ groups: projects.length, role: 'mortise_system' }])
      },
    ]
    const clients = projects.flatMap((db) => nodes.map((node) => ({ db: node.forProject(db.projectId), node })))
    await Promise.all(
      clients.map(async ({ db, node }, client) => {
        for (let step = 0; step < 40; step++) await steps[(step * 3 + client) % steps.length]?.(db, node)
      }),
    )
    expect(backends.size).toBe(2)

    // A client that sets nothing finds nothing of them on either connection.
    const plain = new pg.Client(pooler.urlOf(testDatabase))
    await plain.connect()
    const { rows } = await plain.query(
      `select current_user as role, nullif(current_setting('mortise.project', true), '') as project, current_setting('search_path') as path`,
    )
    expect(rows).toEqual([{ role: 'mortise_owner', project: null, path: '"$user", public' }])
    await plain.end()
  })

  test('prepared statements are used where this PgBouncer follows them', async () => {
    const [major = 0, minor = 0] = (found?.version ?? '').split('.').map(Number)
    const follows = major > 1 || minor >= 21
    const pooler = await startPooler(follows ? { max_prepared_statements: '100' } : {})
    const testDatabase = await createTestDatabase()
    onTestFinished(() => testDatabase.drop())
    const database = await open(pooler.urlOf(testDatabase))
    expect(database.pooler).toEqual({ prepares: follows })
    const db = await withGroup(database)
    const marked = sql<{ named: number }>`/* prepared */
      select (select count(*) from pg_prepared_statements where statement like '%from groups%') as named from groups where project_id = ${db.projectId}`
    for (let times = 0; times < 20; times++)
      expect(
        (await Promise.all(Array.from({ length: 8 }, () => marked.execute(db.sql)))).map(({ rows }) => rows),
      ).toEqual(Array(8).fill([{ named: follows ? 1 : 0 }]))
  })

  test('a statement that waits for a connection of the pooler is not cut off', async () => {
    const pooler = await startPooler({ default_pool_size: '1' })
    const testDatabase = await createTestDatabase()
    onTestFinished(() => testDatabase.drop())
    const database = await open(pooler.urlOf(testDatabase), { silenceMs: 1_000 })
    // The watch asks the server what the waiting statement does, on one more connection that waits for the same.
    const [slept, waited] = await Promise.all([
      sql`select 'slept' as did from pg_sleep(4)`.execute(database.system),
      sql`select 'waited' as did`.execute(database.forProject(newId()).sql),
    ])
    expect([...slept.rows, ...waited.rows]).toEqual([{ did: 'slept' }, { did: 'waited' }])
  })

  test('destinations of type postgres copy their rows over connections that they share, and leave no table', async () => {
    const pooler = await startPooler({ default_pool_size: '2' })
    const empty = await createEmptyDatabase()
    onTestFinished(() => empty.drop())
    const direct = new pg.Client(empty.url)
    await direct.connect()
    await direct.query('create schema crm')
    const { port, pathname, searchParams } = new URL(pooler.urlOf(empty))
    await using front = await startPart('./tcp-front.ts', { args: [`${searchParams.get('host')}/.s.PGSQL.${port}`] })
    const url = `postgresql://any:any@127.0.0.1:${await front.ask<number>('port')}${pathname}?sslmode=disable`
    const message = recordMessages()
    const senders = Array.from({ length: 5 }, () => openForTest(postgres, { url, schema: 'crm' }))
    for (const n of [1, 2, 3])
      await Promise.all(
        senders.map(async ({ send }, sender) => {
          const entries = Array.from({ length: 1_100 }, (_, at) => ({
            id: `${sender} ${at}`,
            fields: { n, [`f${n}`]: at },
          }))
          expect(await send([message(entries)])).toMatchObject([{ outcome: 'delivered' }])
        }),
      )
    const { rows } = await direct.query(
      `select n, count(*)::int as count, count(f3)::int as f3, count(f2)::int as f2 from crm.contacts group by 1`,
    )
    expect(rows).toEqual([{ n: '3', count: 5_500, f3: 5_500, f2: 0 }])
    expect((await direct.query("select from pg_class where relpersistence = 't'")).rows).toEqual([])
    for (const { close } of senders) await close()
    await direct.end()
  })

  test.each([
    ['with a direct address', true],
    ['without one', false],
  ])('the service migrates, reads and delivers behind PgBouncer, %s', async (_, isDirect) => {
    const pooler = await startPooler(isDirect ? { ignore_startup_parameters: 'options' } : {})
    const empty = await createEmptyDatabase()
    onTestFinished(() => empty.drop())
    await using folder = await temporaryFolder()
    const env = {
      DATABASE_URL: pooler.urlOf(empty),
      ...(isDirect && { DATABASE_DIRECT_URL: empty.url }),
      MORTISE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
    }
    await using provider = await startPart('./provider.ts')
    await using receiver = await startPart('./receiver.ts')
    await using service = await startService(folder.path, env)
    const integrationId = await prepare(service, await receiver.ask<string>('url'))
    const arrived = receiver.ask<{ repeated: number }>('reached', 20 * recordsPerPage)
    await install(service, {
      integrationId,
      groupRef: 'acme',
      providerUrl: await provider.ask<string>('url'),
      pages: 20,
    })
    expect(await arrived).toMatchObject({ repeated: 0 })
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    expect(metrics).toMatch(new RegExp(`^mortise_notifications_connected ${isDirect ? 1 : 0}$`, 'm'))

    const { signal } = new AbortController()
    const backup = backUp({ env, output: new PassThrough().resume(), withEncryptionKey: false, signal })
    if (isDirect) expect((await backup).tables).toContainEqual(expect.objectContaining({ name: 'groups', rows: 1 }))
    else await expect(backup).rejects.toThrow(/does not keep sessions. Set DATABASE_DIRECT_URL/)
  })
})
