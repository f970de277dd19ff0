import { type Kysely, sql } from 'kysely'

/**
 * Lets workers lease the states of reads: a scheduled read is claimed where its schedule stands. The release before
 * goes on working: it does not know the columns, and both may be empty.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table read_states add column fence uuid, add column lease_until timestamptz`.execute(db)
}
