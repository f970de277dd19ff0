import { type Kysely, sql } from 'kysely'

/**
 * Stores how far the job of the provider is that writes the records of a run. Nodes of the release before create none:
 * they write such a run in batches.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table write_runs add column job jsonb`.execute(db)
}
