import { type Kysely, sql } from 'kysely'

/** What gives a caller access: the changes that may end it, and the column that names the row. */
const credentials = {
  api_keys: { change: 'delete or update of active, scopes', id: 'id' },
  jwt_keys: { change: 'delete or update of active', id: 'id' },
  sessions: { change: 'delete', id: 'id' },
  memberships: { change: 'delete or update of role', id: 'builder_id' },
  projects: { change: 'delete or update of name', id: 'id' },
}

const statements = [
  ...Object.keys(credentials).map((table) => `drop trigger publish_credentials on ${table}`),
  // Every node keeps credentials for a while, so these are always published: they are rare.
  `create or replace function publish_credentials() returns trigger language plpgsql set search_path = mortise, pg_temp as $$
    begin
      perform pg_notify('mortise_credentials', tg_table_name || ' ' || (to_jsonb(old) ->> tg_argv[0]));
      return null;
    end $$`,
  ...Object.entries(credentials).map(
    ([table, { change, id }]) =>
      `create trigger publish_credentials after ${change} on ${table} for each row execute function publish_credentials('${id}')`,
  ),
  `create or replace function tell_proxies() returns trigger language plpgsql set search_path = mortise, pg_temp as $$
    begin
      perform pg_notify('mortise_proxying', old.id::text);
      return null;
    end $$`,
  `alter function tell_proxies() rename to publish_proxying`,
  `alter trigger tell_proxies on installations rename to publish_proxying`,
  `alter trigger tell_proxies on integrations rename to publish_proxying`,
  `alter function tell_of_connection() rename to publish_connection`,
  `alter trigger tell_of_connection on connections rename to publish_connection`,
  `alter trigger tell_of_connection on connection_credentials rename to publish_connection`,
]

/** Gives each topic of notifications between nodes a channel of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
