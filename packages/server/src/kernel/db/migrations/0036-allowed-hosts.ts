import { type Kysely, sql } from 'kysely'

/** Hosts at which a provider app may be used besides those that the provider's file names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table provider_apps add column allowed_hosts text[]').execute(db)
}
