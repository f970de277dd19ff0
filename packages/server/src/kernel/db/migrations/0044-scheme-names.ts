import { type Kysely, sql } from 'kysely'

/**
 * Which of its provider's schemes a connection authenticates by; null for one that was made before schemes had names.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table connections add column scheme_name text').execute(db)
}
