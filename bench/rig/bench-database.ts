import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { provision } from '../../packages/server/src/kernel/db/index.ts'
import { first } from './first.ts'
import { startPostgres } from './postgres.ts'

/** Databases on a PostgreSQL of ours, each for several processes of the service. */
export interface BenchServer extends AsyncDisposable {
  /** A database of that name; with `like`, a copy of another one that nobody is connected to. */
  database(name: string, like?: string): Promise<BenchDatabase>
}

export interface BenchDatabase {
  address: { host: string; port: number; user: string; database: string }
  superuser: pg.ClientConfig
  /** Settings of every process that is one service on it. */
  env: Record<string, string>
}

export const poolSize = 10

/** @param folder where PostgreSQL keeps its files */
export async function startBenchServer(folder: string): Promise<BenchServer> {
  const server = await startPostgres(folder)
  const { host, port } = server
  const encryptionKey = randomBytes(32).toString('base64')
  return {
    async database(name, like) {
      if (like !== undefined) await copyDatabase({ host, port }, name, like)
      const address = (await provision({ host, port }, name)) as BenchDatabase['address']
      return {
        address,
        superuser: { host, port, user: 'postgres', database: name },
        env: {
          DATABASE_URL: `postgres://${address.user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
          MORTISE_DATABASE_POOL: String(poolSize),
          MORTISE_ENCRYPTION_KEY: encryptionKey,
          MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
        },
      }
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

async function copyDatabase(server: { host: string; port: number }, name: string, like: string): Promise<void> {
  const client = new pg.Client({ ...server, user: 'postgres', database: 'postgres' })
  await client.connect()
  try {
    const owner = `(select rolname from pg_roles r join pg_database d on d.datdba = r.oid where datname = $1)`
    const { rows } = await client.query<{ owner: string }>(`select ${owner} as owner`, [like])
    await client.query(
      `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(like)} owner ${pg.escapeIdentifier(first(rows).owner)}`,
    )
  } finally {
    await client.end()
  }
}
