import { type Kysely, sql } from 'kysely'

/**
 * What a session of a connect page shows lies beside what is sealed in it: front ends ask for it every other second.
 * Links from before, good for half an hour, are gone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'delete from connect_sessions',
  `alter table connect_sessions
    add column provider text not null,
    add column group_ref text not null,
    add column consumer_ref text not null`,
]
