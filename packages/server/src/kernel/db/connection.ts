import { type Dialect, Kysely, PostgresAdapter, PostgresDialect, sql, type Transaction } from 'kysely'
import { LRUCache } from 'lru-cache'
import pg from 'pg'
import {
  type ConnectionOptions,
  connectAlone,
  connectionConfig,
  type DatabaseAddress,
  silenceOf,
} from './connection-config.ts'
import { migrateInUse, pendingMigrations, unlessLocked } from './migrate.ts'
import { connectSession, findPooler, type Pooler, SessionsNotKept } from './pooler.ts'
import { nameStatements, prepareMarked, unnamedStatements } from './prepared.ts'
import { createProjectDb, type ProjectDb } from './project-db.ts'
import { projectPool } from './project-pool.ts'
import { appRole, grantRoles, prepareRoles, renewPolicies, rolesGranted, systemRole, turnOffJit } from './roles.ts'
import type { PooledSettings } from './scoped-statement.ts'
import { type SessionSettings, sessionSettings } from './session-settings.ts'
import { setInTransactions } from './settings-pool.ts'
import { type SilenceWatch, startSilenceWatch, type WatchedKind } from './silence-watch.ts'
import type { Tables } from './tables.ts'

export interface DatabaseOptions extends ConnectionOptions {
  /** Address without a pooler, for what needs a session: migrations and LISTEN. */
  directAddress?: DatabaseAddress
  /** Connections of the application role. The system role gets half as many, and so do renewals of credentials. */
  poolSize: number
  /** Receives errors of idle connections. They are not fatal: the pool replaces the connection. */
  onError: (error: Error) => void
}

/** The database of the service. */
export interface Database {
  /** Returns a handle that is bound to one project. Stores of features get nothing else. */
  forProject(projectId: string): ProjectDb
  /**
   * Returns a handle on a small separate pool, for the one kind of transaction that waits for the network: renewing a
   * credential. Such waits cannot block other work; the size of the pool bounds them.
   */
  forRenewal(projectId: string): ProjectDb
  /**
   * Accesses all projects: for lookups that find the project, and for claims of due work. Never given to an endpoint.
   */
  readonly system: Kysely<Tables>
  /** The plain pools, for the queue and for LISTEN. */
  readonly systemPool: pg.Pool
  /**
   * Opens one more connection outside the pools, e.g. for LISTEN. The caller ends it. Undefined when there is only a
   * pooler that keeps no sessions.
   */
  readonly connect: (() => Promise<pg.Client>) | undefined
  /** The pooler that the pools connect through, if it keeps no sessions. */
  readonly pooler: Pooler | undefined
  /** Names of migrations that are missing; empty when the schema is current. */
  pending(): Promise<string[]>
  /** False when the login may not use the two roles. The service then runs under the login's name. */
  readonly rolesInUse: boolean
  close(): Promise<void>
}

/**
 * Connects, creates missing roles and the schema, and opens the pools. Throws with the reason when the server cannot be
 * used.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const pooler = await findPooler(options)
  const login = connectionConfig(options, pooler ? undefined : sessionSettings())
  const watch = startSilenceWatch({ silenceMs: silenceOf(options), login, isPooled: pooler !== undefined })
  try {
    return await openPools(options, pooler, watch)
  } catch (error) {
    watch.stop()
    throw error
  }
}

async function openPools(options: DatabaseOptions, pooler: Pooler | undefined, watch: SilenceWatch): Promise<Database> {
  const { onError, directAddress } = options
  const rolesInUse = await prepareSchema(options, pooler, watch)
  const open = (role: string, max: number, more: SessionSettings = {}): OpenPool => {
    const settings = { ...sessionSettings(rolesInUse ? role : undefined), ...more }
    const pool = new pg.Pool({ ...connectionConfig(options, pooler ? undefined : settings), max })
    return { pool, pooled: pooler && { settings, prepares: pooler.prepares } }
  }
  const half = Math.max(2, Math.ceil(options.poolSize / 2))
  const app = open(appRole, options.poolSize)
  const system = open(systemRole, half)
  // The server ends a transaction that hangs; one that waits for its lock fails before that.
  const renewal = open(appRole, half, { lock_timeout: '20s', idle_in_transaction_session_timeout: '40s' })
  const systemDb = new Kysely<Tables>({ dialect: dialect(system, onError, watch) })
  const sessionConfig = connectionConfig(
    { ...options, address: directAddress ?? options.address },
    sessionSettings(rolesInUse ? systemRole : undefined),
  )
  return {
    forRenewal: projectDbs(renewal, onError, watch),
    forProject: projectDbs(app, onError, watch),
    system: systemDb,
    systemPool: system.pool,
    rolesInUse,
    pooler,
    connect:
      pooler && !directAddress
        ? undefined
        : async () => {
            const client = await connectAlone(sessionConfig)
            watch.add(client, 'listening')
            return client
          },
    pending: () => pendingMigrations(systemDb as unknown as Kysely<unknown>),
    async close() {
      // Not through Kysely, which closes a pool only after using it.
      await Promise.all([app, system, renewal].map(({ pool }) => pool.end()))
      watch.stop()
    },
  }
}

/** A pool, and the settings that its transactions set behind a pooler. */
interface OpenPool {
  pool: pg.Pool
  pooled: PooledSettings | undefined
}

/**
 * Creates what is missing of roles and schema, one node after the other. The lock belongs to a transaction, because a
 * pooler may run the next one on another connection. Returns whether the roles can be used.
 */
async function prepareSchema(
  options: DatabaseOptions,
  pooler: Pooler | undefined,
  watch: SilenceWatch,
): Promise<boolean> {
  const { address, directAddress } = options
  const isPooled = pooler !== undefined && directAddress === undefined
  // A migration may take long, and so may the wait for another node that runs it.
  const settings = { ...sessionSettings(), statement_timeout: '0', idle_in_transaction_session_timeout: '0' }
  const config = connectionConfig({ ...options, address: directAddress ?? address }, isPooled ? undefined : settings)
  if (directAddress) await refuseNoSessions(config)
  const pool = new pg.Pool({ ...config, max: 1 })
  const pooled = isPooled ? { settings, prepares: false } : undefined
  const owner = new Kysely<unknown>({ dialect: new OwnerDialect({ pool }) })
  scoped({ pool, pooled }, options.onError, watch, 'unbounded')
  const locked = <T>(work: (tx: Transaction<unknown>) => Promise<T>) =>
    owner.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(tx)
      return work(tx)
    })
  try {
    await refuseOldServer(owner)
    const rolesInUse = await locked(async (tx) => {
      if (pooler && directAddress) await refuseOtherDatabase(options)
      const usable = await prepareRoles(tx)
      await turnOffJit(tx)
      return usable
    })
    await unlessLocked(() =>
      locked(async (tx) => {
        await renewPolicies(tx)
        const { applied } = await migrateInUse(tx)
        // Also needed when the roles were created after the tables.
        if (rolesInUse && (applied.length > 0 || !(await rolesGranted(tx)))) await grantRoles(tx)
      }),
    )
    return rolesInUse
  } finally {
    await owner.destroy()
  }
}

const migrationLock = sql`hashtext('mortise.migrate')`

/** The migrator takes a lock of the session besides ours, which a pooler would not keep. */
class OwnerDialect extends PostgresDialect {
  override createAdapter() {
    return new (class extends PostgresAdapter {
      override async acquireMigrationLock() {}
      override async releaseMigrationLock() {}
    })()
  }
}

async function refuseNoSessions(config: pg.ClientConfig): Promise<void> {
  const client = await connectSession(config).catch((error: unknown) => {
    if (!(error instanceof SessionsNotKept)) throw error
    throw new Error('DATABASE_DIRECT_URL leads to a connection pooler that does not keep sessions.', { cause: error })
  })
  await client.end()
}

/** Called while the migration lock is taken at the direct address: no other session of that database can take it. */
async function refuseOtherDatabase(options: ConnectionOptions): Promise<void> {
  const client = await connectAlone(connectionConfig(options, undefined))
  try {
    const { rows } = await client.query<{ other: boolean }>(
      `select pg_try_advisory_xact_lock(hashtext('mortise.migrate')) as other`,
    )
    if (rows[0]?.other) throw new Error('DATABASE_DIRECT_URL is the address of another database.')
  } finally {
    await client.end()
  }
}

/** Their handles are kept: every request of a project uses one, and making it costs more than a small statement. */
const projectsKept = 500

/** Returns the project handles on one pool. */
function projectDbs(
  { pool, pooled }: OpenPool,
  onError: (error: Error) => void,
  watch: SilenceWatch,
): (projectId: string) => ProjectDb {
  watchPool(pool, onError, watch, 'bounded')
  const run = pooled?.prepares === false ? unnamedStatements : nameStatements()
  const kept = new LRUCache<string, ProjectDb>({ max: projectsKept })
  return (projectId) => {
    const known = kept.get(projectId)
    if (known) return known
    const dialect = new PostgresDialect({ pool: projectPool(pool, run, projectId, pooled) })
    const db = createProjectDb(new Kysely<Tables>({ dialect }), projectId)
    kept.set(projectId, db)
    return db
  }
}

function dialect(open: OpenPool, onError: (error: Error) => void, watch: SilenceWatch): Dialect {
  scoped(open, onError, watch, 'bounded')
  return new PostgresDialect({ pool: open.pool })
}

function scoped({ pool, pooled }: OpenPool, onError: (error: Error) => void, watch: SilenceWatch, kind: WatchedKind) {
  watchPool(pool, onError, watch, kind)
  if (pooled) setInTransactions(pool, pooled)
  else prepareMarked(pool)
}

function watchPool(pool: pg.Pool, onError: (error: Error) => void, watch: SilenceWatch, kind: WatchedKind): void {
  const report = (error: Error & { client?: unknown }) => {
    // The driver attaches the whole client to the error, including the password.
    delete error.client
    // While the pool closes, the server may end before it reads the terminate message of a connection.
    if (!pool.ending) onError(error)
  }
  pool.on('error', report)
  // Without a handler, a connection that breaks while it is checked out would end the process.
  pool.on('connect', (client) => {
    client.on('error', report)
    watch.add(client, kind)
  })
}

/** @throws Error when the service cannot use the server's version or the encoding of the database */
export async function refuseOldServer(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`.execute(
    db,
  )
  const server = rows[0]
  if (!server || server.version < 150_000)
    throw new Error(`PostgreSQL 15 or newer is needed; the server at DATABASE_URL is ${server?.version ?? 'unknown'}.`)
  if (server.encoding !== 'UTF8')
    throw new Error(`The database must be encoded in UTF8; this one is in ${server.encoding}.`)
}
