import { type Kysely, sql } from 'kysely'

/**
 * What the last check of a connection's credential found; null until the first one, and for a credential that was
 * replaced since.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`alter table connections
      add column check_outcome text check (check_outcome in ('works', 'refused', 'unreachable', 'notChecked')),
      add column check_reason text,
      add column check_time timestamptz`)
    .execute(db)
}
