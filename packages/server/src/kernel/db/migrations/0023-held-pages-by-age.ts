import { type Kysely, sql } from 'kysely'

/**
 * Held pages are found by their age: looking for those that nobody asked for costs what there is of them, not what is
 * held.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('create index on held_pages (create_time)').execute(db)
}
