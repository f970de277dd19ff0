import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { newId, type ProjectDb, type Tables } from '../db/index.ts'
import { createProjectDb } from '../db/project-db.ts'
import { Work, type WorkTable } from './index.ts'

export interface Item {
  project_id: string
  id: string
  due_time: Date | null
  failures: number
  position: number
  fence: string | null
  lease_until: Date | null
}

export const items: WorkTable<Item> = {
  table: 'test_items',
  key: ['project_id', 'id'],
  due: 'due_time',
  failures: 'failures',
}

/** How one statement of a worker fails. */
export interface Fault {
  /** Which statement, counted from one; `begin` and `commit` count. */
  at: number
  /** `after`: the server has run it, and the answer is lost. */
  when: 'before' | 'after'
  /** `process`: nothing that follows is run either. `connection`: the next connection works. */
  loses: 'process' | 'connection'
}

export interface WorkKit {
  projectId: string
  db: ProjectDb
  system: Kysely<Tables>
  /** A handle of another worker, which fails as `fault` says. */
  open(fault?: Fault): { db: ProjectDb; hit(): boolean }
  /** Adds work that is due since `ageMs`. Returns its id. */
  add(ageMs?: number, projectId?: string): Promise<string>
  find(id: string): Promise<Item | undefined>
  /** Lets all leases run out. */
  expireLeases(): Promise<void>
  /** Work as it is `ms` later. */
  later(ms: number): Work
  work: Work
  stop(): Promise<void>
}

export async function startWorkKit(): Promise<WorkKit> {
  const testDatabase: TestDatabase = await createTestDatabase()
  const pool = new pg.Pool({
    connectionString: testDatabase.url,
    options: '-c search_path=mortise',
    max: 8,
  })
  // A connection that a fault has cut ends with an error of its own.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const system = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const projectId = newId()
  await sql`
    create table test_items (
      project_id uuid not null, id uuid not null, due_time timestamptz, failures integer not null default 0,
      position integer not null default 0, fence uuid, lease_until timestamptz, primary key (project_id, id))`.execute(
    system,
  )
  await sql`create table test_effects (id uuid not null, effect text not null)`.execute(system)
  const work = new Work({ newId })
  return {
    projectId,
    system,
    work,
    db: createProjectDb(system, projectId),
    open(fault) {
      const { connect, hit } = faulty(pool, fault)
      const dialect = new PostgresDialect({ pool: { connect, end: async () => undefined, options: {} } })
      return { db: createProjectDb(new Kysely<Tables>({ dialect }), projectId), hit }
    },
    async add(ageMs = 0, project = projectId) {
      const id = newId()
      await sql`
        insert into test_items (project_id, id, due_time)
        values (${project}, ${id}, now() - ${ageMs} * interval '1 ms')`.execute(system)
      return id
    },
    async find(id) {
      const { rows } = await sql<Item>`select * from test_items where id = ${id}`.execute(system)
      return rows[0]
    },
    async expireLeases() {
      await sql`update test_items set lease_until = now() where lease_until is not null`.execute(system)
    },
    later: (ms) => new Work({ newId, now: () => sql<Date>`now() + ${ms} * interval '1 ms'` }),
    async stop() {
      await pool.end()
      await testDatabase.drop()
    },
  }
}

class ConnectionLost extends Error {
  override name = 'ConnectionLost'
}

/** Lends connections of a pool, and cuts one at the statement that `fault` names. */
function faulty(pool: pg.Pool, fault: Fault | undefined) {
  let statements = 0
  let isHit = false
  const isDead = () => isHit && fault?.loses === 'process'
  const connect = async (): Promise<PostgresPoolClient> => {
    if (isDead()) throw new ConnectionLost()
    const client = await pool.connect()
    let isCut = false
    const query = async (text: string, values: unknown[]) => {
      if (isCut || isDead()) throw new ConnectionLost()
      statements++
      if (statements !== fault?.at) return client.query(text, values)
      isHit = true
      isCut = true
      if (fault.when === 'after') await client.query(text, values)
      throw new ConnectionLost()
    }
    return {
      query: query as never,
      // The server ends what was under way on a connection that is cut.
      release: () => client.release(isCut || isDead()),
    }
  }
  return { connect, hit: () => isHit }
}
