import pg from 'pg'
import type { DatabaseAddress } from './connection-config.ts'

const owner = 'mortise_owner'

/**
 * Creates the owner and the database in the embedded server, as its superuser, if they are missing. The service logs in
 * as the owner and never as superuser. Returns the address to connect to.
 */
export async function provision(
  server: { host: string; port: number },
  database = 'mortise',
): Promise<DatabaseAddress> {
  const client = new pg.Client({ ...server, user: 'postgres', database: 'postgres' })
  await client.connect()
  try {
    const { rows } = await client.query<{ role: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = $1) as role, exists (select from pg_database where datname = $2) as database`,
      [owner, database],
    )
    if (!rows[0]?.role) await client.query(`create role ${owner} login createrole nosuperuser nobypassrls`)
    if (!rows[0]?.database) await client.query(`create database ${pg.escapeIdentifier(database)} owner ${owner}`)
  } finally {
    await client.end()
  }
  return { ...server, user: owner, database }
}
