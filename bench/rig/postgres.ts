import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { startEmbedded } from '../../packages/server/src/kernel/db/embedded/start-embedded.ts'
import { provision } from '../../packages/server/src/kernel/db/index.ts'
import { type PgBouncer, startPgBouncer } from './pgbouncer.ts'
import { type BenchPostgres, startStock } from './stock-postgres.ts'

/** What benchmarks run on: `--stock` and `--pgbouncer` of `npm run bench` say it. */
export type DatabaseKind = 'embedded' | 'stock' | 'pgbouncer'

export function databaseKind(): DatabaseKind {
  const named = process.env['MORTISE_BENCH_DATABASE']
  if (named === 'stock' || named === 'pgbouncer') return named
  if (process.argv.includes('--pgbouncer')) return 'pgbouncer'
  return process.argv.includes('--stock') ? 'stock' : 'embedded'
}

/** Starts the embedded PostgreSQL in a folder, or a stock one. */
export async function startPostgres(folder: string): Promise<BenchPostgres> {
  return databaseKind() === 'embedded' ? await startEmbedded({ homeDir: folder }) : await startStock(folder)
}

/** Where a service is that was not given a database: nowhere yet, or on a stock server. */
export interface ServiceDatabase {
  /** Settings of the service. */
  env: Record<string, string>
  stop(): Promise<void>
}

/** Gives a service its database: none, so that it starts the embedded one, or one on a stock server. */
export async function serviceDatabase(folder: string, env: Record<string, string>): Promise<ServiceDatabase> {
  const kind = databaseKind()
  if (kind === 'embedded' || env['DATABASE_URL'] !== undefined) return { env, stop: async () => undefined }
  const server = await startStock(folder)
  const direct = await databaseEnv(server)
  if (kind === 'stock') return { env: { ...direct, ...env }, stop: server.stop }
  const pooler = await startPgBouncer(folder, server)
  return {
    env: { ...pooledEnv(direct, pooler), ...env },
    async stop() {
      await pooler.stop()
      await server.stop()
    },
  }
}

/** Returns the settings of a service that reaches its database through a pooler, and directly where that needs it. */
export function pooledEnv(env: Record<string, string>, pooler: PgBouncer): Record<string, string> {
  const direct = String(env['DATABASE_URL'])
  const url = new URL(direct)
  url.port = String(pooler.port)
  url.searchParams.set('host', pooler.host)
  return { ...env, DATABASE_URL: url.href, DATABASE_DIRECT_URL: direct }
}

/** Makes a database on a server. Returns the settings of a service that uses it as it would the embedded one. */
export async function databaseEnv({ host, port }: BenchPostgres, name?: string): Promise<Record<string, string>> {
  const address = (await provision({ host, port }, name)) as { user: string; database: string }
  return {
    DATABASE_URL: `postgres://${address.user}@localhost:${port}/${address.database}?host=${encodeURIComponent(host)}`,
    MORTISE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    MORTISE_ALLOW_PRIVATE_NETWORK: 'loopback',
  }
}
