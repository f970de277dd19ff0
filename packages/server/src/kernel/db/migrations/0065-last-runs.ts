import { type Kysely, sql } from 'kysely'

/**
 * Stores when an object was last read on its schedule, and how that read ended. The operations of an installation have
 * it too, but finding the newest one of an object may take reading all of them. The release before goes on working: it
 * does not know the columns, and both may be empty.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table read_states add column last_run_time timestamptz, add column last_run_status text`.execute(db)
}
