import { type Kysely, sql } from 'kysely'

/** Secrets among the values that a provider needs of an app, such as what it signs its events with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table provider_apps add column sealed_params text').execute(db)
}
