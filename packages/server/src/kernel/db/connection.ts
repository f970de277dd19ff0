import { type Dialect, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { migrate, pendingMigrations } from './migrate.ts'
import { nameStatements, prepareMarked } from './prepared.ts'
import { createProjectDb, type ProjectDb } from './project-db.ts'
import { projectPool } from './project-pool.ts'
import { appRole, grantRoles, prepareRoles, renewPolicies, rolesGranted, systemRole, turnOffJit } from './roles.ts'
import { type SilenceWatch, startSilenceWatch, type WatchedKind } from './silence-watch.ts'
import type { Tables } from './tables.ts'

/** Address of the database: a connection string, or the socket folder of the embedded server. */
export type DatabaseAddress = { url: string } | { host: string; port: number; user: string; database: string }

export interface DatabaseOptions {
  address: DatabaseAddress
  /** Connections of the application role. The system role gets half as many, and so do renewals of credentials. */
  poolSize: number
  applicationName: string
  /** Receives errors of idle connections. They are not fatal: the pool replaces the connection. */
  onError: (error: Error) => void
  /**
   * How long the server may be silent while a connection opens, and before a waiting statement is checked. Ten seconds
   * when absent.
   */
  silenceMs?: number
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
  /** Opens one more connection outside the pools, e.g. for LISTEN. The caller ends it. */
  connect(): Promise<pg.Client>
  /** Names of migrations that are missing; empty when the schema is current. */
  pending(): Promise<string[]>
  /** False when the login may not use the two roles. The service then runs under the login's name. */
  readonly rolesInUse: boolean
  close(): Promise<void>
}

/** bigint columns hold counts and sizes, far below 2^53: numbers, not strings. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/**
 * Connects, creates missing roles and the schema, and opens the pools. Throws with the reason when the server cannot be
 * used.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const login = connectionConfig(options, undefined)
  const watch = startSilenceWatch({ silenceMs: silenceOf(options), login })
  try {
    return await openPools(options, login, watch)
  } catch (error) {
    watch.stop()
    throw error
  }
}

async function openPools(options: DatabaseOptions, login: pg.PoolConfig, watch: SilenceWatch): Promise<Database> {
  const { onError } = options
  const ownerPool = new pg.Pool({ ...login, max: 1 })
  const owner = new Kysely<unknown>({ dialect: dialect(ownerPool, onError, watch, 'unbounded') })
  let rolesInUse = false
  try {
    await refuseOldServer(owner)
    await owner.connection().execute(async (db) => {
      // A migration may take long, and so may the wait for another node that runs it.
      await sql`set statement_timeout = 0`.execute(db)
      await sql`select pg_advisory_lock(hashtext('mortise.migrate'))`.execute(db)
      try {
        rolesInUse = await prepareRoles(db)
        await turnOffJit(db)
        await renewPolicies(db)
        const { applied } = await migrate(db)
        // Also needed when the roles were created after the tables.
        if (rolesInUse && (applied.length > 0 || !(await rolesGranted(db)))) await db.transaction().execute(grantRoles)
      } finally {
        await sql`select pg_advisory_unlock(hashtext('mortise.migrate'))`.execute(db)
      }
    })
  } finally {
    await owner.destroy()
  }
  const appPool = new pg.Pool({ ...connectionConfig(options, rolesInUse ? appRole : undefined), max: options.poolSize })
  const systemPool = new pg.Pool({
    ...connectionConfig(options, rolesInUse ? systemRole : undefined),
    max: Math.max(2, Math.ceil(options.poolSize / 2)),
  })
  const renewalConfig = connectionConfig(options, rolesInUse ? appRole : undefined)
  const renewalPool = new pg.Pool({
    ...renewalConfig,
    // The server ends a transaction that hangs; one that waits for its lock fails before that.
    options: `${renewalConfig.options} -c lock_timeout=20s -c idle_in_transaction_session_timeout=40s`,
    max: Math.max(2, Math.ceil(options.poolSize / 2)),
  })
  const system = new Kysely<Tables>({ dialect: dialect(systemPool, onError, watch) })
  return {
    forRenewal: projectDbs(renewalPool, onError, watch),
    forProject: projectDbs(appPool, onError, watch),
    system,
    systemPool,
    rolesInUse,
    async connect() {
      const client = await connectAlone(connectionConfig(options, rolesInUse ? systemRole : undefined))
      watch.add(client, 'listening')
      return client
    },
    pending: () => pendingMigrations(system as unknown as Kysely<unknown>),
    async close() {
      // Not through Kysely, which closes a pool only after using it.
      await Promise.all([appPool.end(), systemPool.end(), renewalPool.end()])
      watch.stop()
    },
  }
}

/**
 * Opens a connection outside the pools. It may break in the packet that opens it, before the caller can add an error
 * handler. Such an error does not end the process: the first statement rejects with it.
 */
export async function connectAlone(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Returns the project handles on one pool. */
function projectDbs(
  pool: pg.Pool,
  onError: (error: Error) => void,
  watch: SilenceWatch,
): (projectId: string) => ProjectDb {
  watchPool(pool, onError, watch, 'bounded')
  const run = nameStatements()
  return (projectId) => {
    const dialect = new PostgresDialect({ pool: projectPool(pool, run, projectId) })
    return createProjectDb(new Kysely<Tables>({ dialect }), projectId)
  }
}

function dialect(
  pool: pg.Pool,
  onError: (error: Error) => void,
  watch: SilenceWatch,
  kind: WatchedKind = 'bounded',
): Dialect {
  watchPool(pool, onError, watch, kind)
  prepareMarked(pool)
  return new PostgresDialect({ pool })
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

/** Returns the settings of every connection of the service, under one of its roles or under the login. */
export function connectionConfig(
  options: Pick<DatabaseOptions, 'address' | 'applicationName' | 'silenceMs'>,
  role: string | undefined,
): pg.PoolConfig {
  const settings = [
    '-c search_path=mortise',
    '-c timezone=UTC',
    // Statements of the service take milliseconds. Compiling one takes up to a second, again at each execution (0058).
    '-c jit=off',
    '-c statement_timeout=60s',
    // Within half a minute, the server releases the locks of a client that has ended or is unreachable.
    '-c idle_in_transaction_session_timeout=30s',
    '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
    '-c tcp_user_timeout=25s',
  ]
  if (role) settings.push(`-c role=${role}`)
  const address = 'url' in options.address ? { connectionString: options.address.url } : options.address
  return {
    ...address,
    types,
    options: settings.join(' '),
    application_name: options.applicationName,
    // Covers idle connections: Node probes ten times, one second apart. The silence watch covers all others.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: silenceOf(options),
    idleTimeoutMillis: 30_000,
  }
}

const silenceOf = ({ silenceMs = 10_000 }: Pick<DatabaseOptions, 'silenceMs'>) => silenceMs

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
