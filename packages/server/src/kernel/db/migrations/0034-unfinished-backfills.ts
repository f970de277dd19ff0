import { type Kysely, sql } from 'kysely'

const statements = [
  // Why the newest backfill of an object could not end, and where its run stood: it can be run again from there.
  `alter table backfills
    add column error text,
    add column since timestamptz,
    add column until timestamptz,
    add column page text,
    add column pages integer`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
