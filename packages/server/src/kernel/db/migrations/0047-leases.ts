import { type Kysely, sql } from 'kysely'

const statements = [
  `alter table schema_watches add column lease_until timestamptz`,
  `alter table subscriptions add column fence uuid, add column lease_until timestamptz`,
  `alter table teardowns add column fence uuid, add column lease_until timestamptz`,
  // Erasures were due a minute after their creation, and had no back-off.
  `alter table erasures
    add column due_time timestamptz not null default now(),
    add column failures integer not null default 0,
    add column fence uuid,
    add column lease_until timestamptz`,
  `create index erasures_due on erasures (due_time)`,
]

/**
 * Adds the columns that `kernel/work` needs to lease schema watches, subscriptions, teardowns and erasures. The release
 * before goes on working: it does not know the columns, and all of them may be empty.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
