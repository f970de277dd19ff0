import { type Kysely, sql } from 'kysely'

/**
 * How often a read, or a check for deleted records, began again. A node of the release before does not count, and its
 * reads begin again as before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'alter table read_runs add column restarts integer not null default 0',
  'alter table deletion_checks add column restarts integer not null default 0',
]
