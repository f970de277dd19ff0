import { type Kysely, sql } from 'kysely'

/**
 * Rotation of encryption keys. `seal_keys.state`: new values are encrypted under the `active` key alone; under a
 * `previous` one there may be values; one that is `closing` takes no further value and may have some left; a `retired`
 * one has none. Nodes report the keys they hold.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...statements, ...columns.flatMap(refusal)]) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table seal_keys add column state text not null default 'active'
    check (state in ('active', 'previous', 'closing', 'retired'))`,
  `update seal_keys k set state = 'previous'
    where exists (select from seal_keys n where (n.create_time, n.key_id) > (k.create_time, k.key_id))`,
  `create unique index seal_keys_active on seal_keys (state) where state = 'active'`,
  // Who runs right now is nothing to back up.
  `create unlogged table seal_key_nodes (
    node uuid primary key,
    key_ids text[] not null,
    active_id text not null,
    seen_time timestamptz not null default now()
  )`,
  // A restore brings a rotation back as it was, in whatever order of tables.
  `create function seal_key_closed(sealed text) returns boolean language sql stable as $$
    select exists (select from mortise.seal_keys where key_id = split_part(left(sealed, 12), '.', 2) and state in ('closing', 'retired'))
       and coalesce(current_setting('mortise.restoring', true), '') <> 'on' $$`,
  `create function seal_key_closed(list jsonb) returns boolean language sql stable as $$
    select exists (select from jsonb_array_elements(list) as item where mortise.seal_key_closed(item ->> 'sealed')) $$`,
  `create function refuse_closed_seal_key() returns trigger language plpgsql as $$
    begin
      raise exception 'The value for %.% is encrypted under a retired key. Restart this node with the present encryption key.',
        tg_table_name, tg_argv[0];
    end $$`,
  // A credential that is rewrapped is the same: nobody who keeps it open has to look it up again.
  `drop trigger tell_of_connection on connection_credentials`,
  `create trigger tell_of_connection after delete on connection_credentials
    for each row execute function tell_of_connection('connection_id')`,
  `create trigger tell_of_changed_connection after update of sealed, generation, retry_at, refused on connection_credentials
    for each row when (split_part(old.sealed, '.', 5) <> split_part(new.sealed, '.', 5)
      or (old.generation, old.retry_at, old.refused) is distinct from (new.generation, new.retry_at, new.refused))
    execute function tell_of_connection('connection_id')`,
]

const columns: [table: string, column: string][] = [
  ['api_keys', 'sealed'],
  ['connect_sessions', 'sealed'],
  ['connection_credentials', 'sealed'],
  ['custom_auth_sessions', 'sealed'],
  ['destinations', 'sealed_metadata'],
  ['destinations', 'sealed_secrets'],
  ['destinations', 'previous_secrets'],
  ['idempotency_keys', 'sealed_answer'],
  ['oauth_flows', 'sealed'],
  ['offered_secrets', 'sealed_secret'],
  ['provider_apps', 'sealed_params'],
  ['provider_apps', 'sealed_secret'],
  ['registrations', 'sealed_secret'],
  ['sign_in_flows', 'sealed'],
  ['signing_keys', 'sealed_private_jwk'],
  ['teardowns', 'sealed'],
  ['write_items', 'sealed'],
  ['write_runs', 'sealed_headers'],
]

function refusal([table, column]: [string, string]): string {
  return `create trigger refuse_closed_key_of_${column} before insert or update of ${column} on ${table}
    for each row when (seal_key_closed(new.${column})) execute function refuse_closed_seal_key('${column}')`
}
