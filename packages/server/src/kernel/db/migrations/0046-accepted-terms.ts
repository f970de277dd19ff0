import { type Kysely, sql } from 'kysely'

/** Columns with encrypted values; the trigger of each refuses values under a retired key. */
const encrypted: [table: string, before: string, now: string][] = [
  ['api_keys', 'sealed', 'encrypted'],
  ['connect_sessions', 'sealed', 'encrypted'],
  ['connection_credentials', 'sealed', 'encrypted'],
  ['custom_auth_sessions', 'sealed', 'encrypted'],
  ['destinations', 'sealed_metadata', 'encrypted_metadata'],
  ['destinations', 'sealed_secrets', 'encrypted_secrets'],
  ['destinations', 'previous_secrets', 'previous_secrets'],
  ['idempotency_keys', 'sealed_answer', 'encrypted_answer'],
  ['oauth_flows', 'sealed', 'encrypted'],
  ['offered_secrets', 'sealed_secret', 'encrypted_secret'],
  ['provider_apps', 'sealed_params', 'encrypted_params'],
  ['provider_apps', 'sealed_secret', 'encrypted_secret'],
  ['registrations', 'sealed_secret', 'encrypted_secret'],
  ['sign_in_flows', 'sealed', 'encrypted'],
  ['signing_keys', 'sealed_private_jwk', 'encrypted_private_jwk'],
  ['teardowns', 'sealed', 'encrypted'],
  ['write_items', 'sealed', 'encrypted'],
  ['write_runs', 'sealed_headers', 'encrypted_headers'],
]

const statements = [
  ...encrypted.map(([table, before]) => `drop trigger refuse_closed_key_of_${before} on ${table}`),
  'drop function refuse_closed_seal_key()',
  'drop function seal_key_closed(jsonb)',
  'drop function seal_key_closed(text)',
  `update destinations set previous_secrets =
      (select jsonb_agg(jsonb_build_object('encrypted', item -> 'sealed', 'until', item -> 'until'))
         from jsonb_array_elements(previous_secrets) as item)
    where jsonb_array_length(previous_secrets) > 0`,
  ...encrypted
    .filter(([, before, now]) => before !== now)
    .map(([table, before, now]) => `alter table ${table} rename column ${before} to ${now}`),
  'alter table seal_keys rename to encryption_keys',
  'alter index seal_keys_pkey rename to encryption_keys_pkey',
  'alter index seal_keys_active rename to encryption_keys_active',
  'alter table seal_key_nodes rename to encryption_key_nodes',
  'alter index seal_key_nodes_pkey rename to encryption_key_nodes_pkey',
  'alter table held_pages rename to buffered_pages',
  'alter table destinations rename column probe_rung to failed_probes',
  'alter table messages rename column ladder_from to schedule_from',
  // `claim_due_messages` replaces it; `functions/` defines that.
  'drop function claim_messages(uuid, uuid, uuid, integer, bigint, interval)',
  `create function encryption_key_closed(value text) returns boolean language sql stable as $$
    select exists (select from mortise.encryption_keys
                    where key_id = split_part(left(value, 12), '.', 2) and state in ('closing', 'retired'))
       and coalesce(current_setting('mortise.restoring', true), '') <> 'on' $$`,
  `create function encryption_key_closed(list jsonb) returns boolean language sql stable as $$
    select exists (select from jsonb_array_elements(list) as item where mortise.encryption_key_closed(item ->> 'encrypted')) $$`,
  `create function refuse_closed_encryption_key() returns trigger language plpgsql as $$
    begin
      raise exception 'The value for %.% is encrypted under a retired key. Restart this node with the present encryption key.',
        tg_table_name, tg_argv[0];
    end $$`,
  ...encrypted.map(
    ([table, , column]) =>
      `create trigger refuse_closed_key_of_${column} before insert or update of ${column} on ${table}
        for each row when (encryption_key_closed(new.${column})) execute function refuse_closed_encryption_key('${column}')`,
  ),
]

/** Renames tables and columns to the terms of the documentation: encryption keys, encrypted values, buffered pages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
