import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type ConnectionOptions, connectAlone, connectionConfig } from './connection-config.ts'
import { sessionSettings } from './session-settings.ts'

/**
 * A connection pooler between the service and PostgreSQL that keeps no settings of a connection, such as PgBouncer in
 * transaction mode: each transaction may run on another connection to the server. So each transaction sets what it
 * needs (decision 0060).
 */
export interface Pooler {
  /** Whether it follows statements that are prepared by name from one connection to the server to the next. */
  prepares: boolean
}

/** The connection pooler at an address keeps no sessions, and the work needs one. */
export class SessionsNotKept extends Error {
  override name = 'SessionsNotKept'
  constructor(options?: ErrorOptions) {
    super(
      'it leads to a connection pooler that does not keep sessions. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself, or of a pooler that keeps sessions and passes on the options of a connection.',
      options,
    )
  }
}

/**
 * Poolers refuse options of a connection with these codes: PgBouncer with the first (`unsupported startup parameter`),
 * RDS Proxy with the second. PostgreSQL uses neither for ours.
 */
const refusals = new Set(['08P01', '0A000'])

/**
 * Opens a connection that keeps its settings until it ends.
 *
 * A pooler may refuse the options of a connection, or drop them silently. So they include a random value, which the
 * connection has to return.
 *
 * @throws SessionsNotKept when a pooler does not keep them
 */
export async function connectSession(config: pg.ClientConfig): Promise<pg.Client> {
  const marker = randomUUID()
  const client = await connectAlone({ ...config, options: `${config.options} -c mortise.session=${marker}` }).catch(
    (error: unknown) => {
      throw isRefusal(error) ? new SessionsNotKept({ cause: error }) : error
    },
  )
  try {
    const { rows } = await client.query<{ session: string }>(
      `select current_setting('mortise.session', true) as session`,
    )
    if (rows[0]?.session !== marker) throw new SessionsNotKept()
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Returns the pooler that does not keep sessions, or undefined when the address keeps them. */
export async function findPooler(options: ConnectionOptions): Promise<Pooler | undefined> {
  try {
    const client = await connectSession(connectionConfig(options, sessionSettings()))
    await client.end()
    return undefined
  } catch (error) {
    if (!(error instanceof SessionsNotKept)) throw error
  }
  const client = await connectAlone(connectionConfig(options, undefined))
  try {
    return { prepares: await preparesByName(client) }
  } finally {
    await client.end()
  }
}

/**
 * Poolers that follow prepared statements rename them, so that several clients can use one name. Any other would leave
 * ours on the connection to the server, so it is removed in the same transaction.
 */
async function preparesByName(client: pg.Client): Promise<boolean> {
  const name = `mortise_${randomUUID()}`
  await client.query('begin')
  const text = 'select exists (select from pg_prepared_statements where name = $1) as ours'
  const { rows } = await client.query<{ ours: boolean }>({ name, text, values: [name] })
  if (rows[0]?.ours) await client.query(`deallocate ${pg.escapeIdentifier(name)}`)
  await client.query('commit')
  return rows[0]?.ours === false
}

function isRefusal(error: unknown): boolean {
  return error instanceof pg.DatabaseError && refusals.has(error.code ?? '')
}
