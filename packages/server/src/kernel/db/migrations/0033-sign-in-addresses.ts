import { type Kysely, sql } from 'kysely'

/** Networks that an account has signed in from, under a keyed hash. Guesses from elsewhere do not lock them out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table sign_in_addresses (
    subject_hash bytea primary key,
    until timestamptz not null
  )`,
  `create index on sign_in_addresses (until)`,
]
