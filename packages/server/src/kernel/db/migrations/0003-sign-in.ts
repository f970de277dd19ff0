import { type Kysely, sql } from 'kysely'

/** How builders sign in: what ends sessions, what is used once, what slows guessing down. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // `api`: a program that rotates its refresh token. `browser`: the cookie of the sign-in pages. `cli`: what the
  // command line of others keeps.
  `alter table sessions
    add column kind text not null check (kind in ('api', 'browser', 'cli')),
    add column refresh_time timestamptz`,
  // Refresh tokens that have been exchanged: one that comes back was stolen, from the thief or by one.
  `create table used_refresh_tokens (
    token_hash bytea primary key,
    session_id uuid not null references sessions on delete cascade
  )`,
  `create index on used_refresh_tokens (session_id)`,
  // One key signs at a time; the others verify what they signed, until the last of it has expired.
  `alter table signing_keys add column retire_time timestamptz`,
  `create unique index signing_keys_active on signing_keys (active) where active`,
  // Codes that a browser carries to a command line, good for a minute and for one exchange.
  `create table sign_in_codes (
    code_hash bytea primary key,
    builder_id uuid not null references builders on delete cascade,
    challenge text not null,
    create_time timestamptz not null default now(),
    expire_time timestamptz not null
  )`,
  `create index on sign_in_codes (builder_id)`,
  `create index on sign_in_codes (expire_time)`,
  // Single sign-ons under way; the verifier and the nonce never leave the service, the browser holds the rest.
  `create table sign_in_flows (
    state_hash bytea primary key,
    browser_hash bytea not null,
    sealed text not null,
    create_time timestamptz not null default now(),
    expire_time timestamptz not null
  )`,
  `create index on sign_in_flows (expire_time)`,
  // Failed attempts by email and by address, under a hash.
  `create table sign_in_attempts (
    subject_hash bytea primary key,
    count int not null,
    until timestamptz not null
  )`,
  `create index on sign_in_attempts (until)`,
]
