import { type Kysely, sql } from 'kysely'

/** Conversations with providers under way: what is known so far while a browser is at the provider. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The caller holds the session's id and the browser the state; only hashes of them stay.
  `create table custom_auth_sessions (
    project_id uuid not null references projects on delete cascade,
    session_hash bytea not null,
    state_hash bytea not null,
    opener_origin text,
    sealed text not null,
    create_time timestamptz not null default now(),
    expire_time timestamptz not null,
    primary key (project_id, session_hash)
  )`,
  // A callback names no project: its state alone finds the session.
  `create unique index custom_auth_sessions_state on custom_auth_sessions (state_hash)`,
  `create index on custom_auth_sessions (expire_time)`,
]
