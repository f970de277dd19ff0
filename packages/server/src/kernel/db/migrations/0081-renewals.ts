import { type Kysely, sql } from 'kysely'

/**
 * Stores when a registration of webhooks is renewed, so that a provider can ask for it earlier. Without it, as in rows
 * of the release before, the time follows from the lifetime.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table registrations add column next_renew_time timestamptz`.execute(db)
}
