import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { startEmbedded } from '../../packages/server/src/kernel/db/embedded/start-embedded.ts'
import { provision } from '../../packages/server/src/kernel/db/index.ts'
import { type BenchPostgres, startStock } from './stock-postgres.ts'

/** Whether benchmarks use a stock PostgreSQL, not the embedded one. `--stock` of `npm run bench` sets it. */
export const usesStock = () => process.env['MORTISE_BENCH_STOCK'] === '1' || process.argv.includes('--stock')

/** Starts the embedded PostgreSQL in a folder, or with `--stock` a stock one. */
export async function startPostgres(folder: string): Promise<BenchPostgres> {
  return usesStock() ? await startStock(folder) : await startEmbedded({ homeDir: folder })
}

/** Where a service is that was not given a database: nowhere yet, or with `--stock` on a server of its own. */
export interface ServiceDatabase {
  /** Settings of the service. */
  env: Record<string, string>
  stop(): Promise<void>
}

/** Gives a service its database: none, so that it starts the embedded one, or with `--stock` one on a stock server. */
export async function serviceDatabase(folder: string, env: Record<string, string>): Promise<ServiceDatabase> {
  if (!usesStock() || env['DATABASE_URL'] !== undefined) return { env, stop: async () => undefined }
  const server = await startStock(folder)
  return { env: { ...(await databaseEnv(server)), ...env }, stop: server.stop }
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
