import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { reachExisting } from '../backup/index.ts'
import { readConfig } from '../config.ts'
import { findRunning, hasEmbedded } from '../kernel/db/embedded/find-running.ts'
import { knownMigrations, type Tables } from '../kernel/db/index.ts'

export interface ReachOptions {
  /** Settings as the service reads them. */
  env: Record<string, string | undefined>
}

/** The schema is not the one of this release. */
export class OtherRelease extends Error {
  override name = 'OtherRelease'
}

/**
 * Runs `work` on one connection that sees every project, to the database of the settings: an embedded one may run or
 * not.
 */
export async function withKeyDatabase<T>({ env }: ReachOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const reached = await reachExisting(readConfig(env))
  try {
    await refuseOtherRelease(reached.client)
    await actAsSystem(reached.client)
    return await work(reached.client)
  } finally {
    await reached.close()
  }
}

/** Returns the connection of `withKeyDatabase` in the form that stores take. */
export function asKysely(client: pg.Client): Kysely<Tables> {
  const connection = Object.assign(client, { release: () => undefined })
  const pool = { connect: async () => connection, end: async () => undefined }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as never }) })
}

async function refuseOtherRelease(client: pg.Client): Promise<void> {
  const known = await knownMigrations()
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('mortise.kysely_migration') is not null as there`,
  )
  const applied = rows[0]?.there
    ? (await client.query<{ name: string }>('select name from mortise.kysely_migration')).rows.map(({ name }) => name)
    : []
  if (known.length !== applied.length || known.some((name) => !applied.includes(name)))
    throw new OtherRelease(
      'The database has the schema of another release, or none. Start the service of this release on it first, and stop those of others.',
    )
}

/** Whether the database can be reached without starting it. */
export async function isRunning({ env }: ReachOptions): Promise<boolean> {
  const { databaseUrl, dataDir } = readConfig(env)
  return databaseUrl !== undefined || ((await hasEmbedded(dataDir)) && (await findRunning(dataDir)) !== undefined)
}

/** The role of the service that works across projects, where the login may use it. */
async function actAsSystem(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ usable: boolean }>(
    `select coalesce((select pg_has_role(oid, 'member') from pg_roles where rolname = 'mortise_system'), false)
        and has_schema_privilege('mortise_system', 'mortise', 'usage') as usable`,
  )
  if (rows[0]?.usable) await client.query('set role mortise_system')
}
