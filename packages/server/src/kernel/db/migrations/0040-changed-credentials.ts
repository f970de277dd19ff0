import { type Kysely, sql } from 'kysely'

/** What lets somebody in, and the changes that may end it. */
const changes = {
  api_keys: 'delete or update of active, scopes',
  jwt_keys: 'delete or update of active',
  sessions: 'delete',
  memberships: 'delete or update of role',
  projects: 'delete',
}

const statements = [
  // Every node with an open stream of events checks who may still have it; nothing is sent while there is none (see
  // `watches`).
  `create function publish_credentials() returns trigger language plpgsql set search_path = mortise, pg_temp as $$
    begin
      perform pg_notify('mortise_signals', 'credentials changed *')
        where exists (select from watches where topic = 'credentials' and until > now());
      return null;
    end $$`,
  ...Object.entries(changes).map(
    ([table, change]) =>
      `create trigger publish_credentials after ${change} on ${table} for each statement execute function publish_credentials()`,
  ),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
