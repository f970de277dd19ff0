import { type Kysely, sql } from 'kysely'

/**
 * Stores when a provider last reported that an object changed, for reads that follow such a report. Nodes of the
 * release before do not know the column. They read the object when it is due, and a change that is reported during
 * their read waits for the schedule.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table read_states add column changed_time timestamptz`.execute(db)
}
