import type { Socket } from 'node:net'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { connectionConfig, type DatabaseAddress } from './connection-config.ts'
import { within } from './embedded/within.ts'
import { connectSession } from './pooler.ts'
import { sessionSettings } from './session-settings.ts'

const goodbyeMs = 1_000

/**
 * One connection as the owner of the tables, for what reads or writes the whole database: both handles are the same
 * session.
 */
export interface OwnerSession {
  /** For COPY. */
  client: pg.Client
  db: Kysely<unknown>
  close(): Promise<void>
}

/**
 * Opens a session without a time limit; nothing is made or migrated.
 * @throws SessionsNotKept when there is a pooler that does not keep sessions
 */
export async function openOwnerSession(address: DatabaseAddress, applicationName: string): Promise<OwnerSession> {
  const settings = { ...sessionSettings(), statement_timeout: '0', idle_in_transaction_session_timeout: '0' }
  const client = await connectSession(connectionConfig({ address, applicationName }, settings))
  const only = Object.assign(client, { release: () => undefined })
  const pool = { options: {}, connect: async () => only, end: async () => undefined }
  return { client, db: new Kysely({ dialect: new PostgresDialect({ pool }) }), close: () => end(client) }
}

/**
 * In the middle of a COPY that was given up nobody reads the goodbye: the connection is cut then, and the server takes
 * everything back.
 */
async function end(client: pg.Client): Promise<void> {
  const ended = client.end().then(() => true)
  if (await within(goodbyeMs, ended)) return
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.destroy()
}
