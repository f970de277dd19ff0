import { type Kysely, sql } from 'kysely'

/** Pages on which a customer connects an account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The link holds the token, and only its hash stays. Whose account it is to become, and where the browser goes at the
  // end, is sealed.
  `create table connect_sessions (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    token_hash bytea not null,
    sealed text not null,
    failure text,
    connection_id uuid,
    create_time timestamptz not null default now(),
    expire_time timestamptz not null,
    primary key (project_id, id)
  )`,
  // A link names no project: its token alone finds the session.
  `create unique index connect_sessions_token on connect_sessions (token_hash)`,
  `create index on connect_sessions (expire_time)`,
]
