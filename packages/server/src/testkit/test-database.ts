import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../kernel/db/index.ts'
import { templateDatabase } from './template.ts'

export interface TestDatabase {
  database: Database
  /** One more handle on the same database, as another node would have. */
  open(): Promise<Database>
  /** For tools that take a connection string. */
  url: string
  drop(): Promise<void>
}

/** A database of the test's own: a clone of the migrated template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const empty = await createEmptyDatabase(`template ${templateDatabase} strategy file_copy`)
  return { ...empty, database: await empty.open() }
}

/** A database of the test's own without anything in it; `open` brings it to the newest migration. */
export async function createEmptyDatabase(made = 'template template0'): Promise<Omit<TestDatabase, 'database'>> {
  const server = inject('postgres')
  const name = `test_${randomBytes(8).toString('hex')}`
  await asSuperuser(`create database ${name} owner mortise_owner ${made}`)
  const opened: Database[] = []
  const open = async () => {
    const database = await openDatabase({
      address: { ...server, user: 'mortise_owner', database: name },
      poolSize: 4,
      applicationName: name,
      // The server ends the connections of a dropped database: nothing to be said of it.
      onError: () => undefined,
    })
    opened.push(database)
    return database
  }
  return {
    open,
    url: `postgres://mortise_owner@localhost:${server.port}/${name}?host=${encodeURIComponent(server.host)}`,
    async drop() {
      await Promise.all(opened.map((database) => database.close()))
      await asSuperuser(`drop database if exists ${name} with (force)`)
    },
  }

  async function asSuperuser(statement: string) {
    const client = new pg.Client({ ...server, user: 'postgres', database: 'postgres' })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
}

/** A pool of one connection that may be ended with its database: the server says so to whoever still listens. */
export function openTestPool(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1, ...options })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Ends a session of the database as its administrator would. */
export async function endSession(testDatabase: Pick<TestDatabase, 'url'>, backend: number): Promise<void> {
  const pool = openTestPool(testDatabase.url)
  await pool.query('select pg_terminate_backend($1)', [backend])
  await pool.end()
}
