import { type Kysely, sql } from 'kysely'

/** Accounts that are being connected in a browser: what the provider's answer is held against. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The state travels with the browser, and only its hash stays. A flow that is `bound` belongs to the first browser
  // that opens it.
  `create table oauth_flows (
    project_id uuid not null references projects on delete cascade,
    state_hash bytea not null,
    bound boolean not null,
    browser_hash bytea,
    sealed text not null,
    create_time timestamptz not null default now(),
    expire_time timestamptz not null,
    primary key (project_id, state_hash)
  )`,
  // A callback names no project: its state alone finds the flow.
  `create unique index oauth_flows_state on oauth_flows (state_hash)`,
  `create index on oauth_flows (expire_time)`,
]
