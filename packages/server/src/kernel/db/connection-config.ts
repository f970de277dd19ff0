import pg from 'pg'
import { asOptions, type SessionSettings } from './session-settings.ts'

/** Address of the database: a connection string, or the socket folder of the embedded server. */
export type DatabaseAddress = { url: string } | { host: string; port: number; user: string; database: string }

export interface ConnectionOptions {
  address: DatabaseAddress
  applicationName: string
  /**
   * How long the server may be silent while a connection opens, and before a waiting statement is checked. Ten seconds
   * when absent.
   */
  silenceMs?: number
}

/** bigint columns hold counts and sizes, far below 2^53: numbers, not strings. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/**
 * Returns how every connection of the service is opened. Behind a pooler that keeps no settings there are none: each
 * transaction sets them.
 */
export function connectionConfig(options: ConnectionOptions, settings: SessionSettings | undefined): pg.PoolConfig {
  const { options: named, ...address } = addressOf(options.address)
  // The last one wins: options of DATABASE_URL can add settings, and cannot replace ours.
  const all = [named, settings && asOptions(settings)].filter(Boolean).join(' ')
  return {
    ...address,
    types,
    ...(all !== '' && { options: all }),
    application_name: options.applicationName,
    // Covers idle connections: Node probes ten times, one second apart. The silence watch covers all others.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: silenceOf(options),
    idleTimeoutMillis: 30_000,
  }
}

export const silenceOf = ({ silenceMs = 10_000 }: Pick<ConnectionOptions, 'silenceMs'>) => silenceMs

/** The driver lets `options` of a connection string replace those of the program, so they are taken out of it. */
function addressOf(address: DatabaseAddress): pg.PoolConfig & { options?: string } {
  if (!('url' in address)) return address
  const url = new URL(address.url)
  const options = url.searchParams.get('options')
  if (options === null) return { connectionString: address.url }
  url.searchParams.delete('options')
  return { connectionString: url.href, options }
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
