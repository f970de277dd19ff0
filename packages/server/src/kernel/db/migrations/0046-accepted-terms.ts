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
  'drop function claim_messages(uuid, uuid, uuid, integer, bigint, interval)',
  // As in 0009, with the new name.
  `create function claim_messages(project uuid, destination uuid, token uuid, at_most integer, bytes_max bigint, lease interval)
    returns table (id uuid, payload bytea, has_result boolean, attempt integer, schedule_from integer)
    language plpgsql
    set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
    #variable_conflict use_column
    declare taken uuid[];
    begin
      select array_agg(id order by id) into taken
        from (select id, sum(payload_bytes) over (order by next_attempt_at, id) - payload_bytes as before
                from (select id, payload_bytes, next_attempt_at from messages
                       where project_id = project and destination_id = destination and state = 'pending'
                         and next_attempt_at <= now() and (lease_until is null or lease_until <= now())
                       order by next_attempt_at limit at_most for update skip locked) due) summed
       where before < bytes_max;
      if taken is null then return; end if;
      return query execute
        'update messages set lease_token = $3, lease_until = now() + $4
          where project_id = $1 and id = any($2) and id between $5 and $6
         returning id, payload, has_result, attempt, schedule_from'
        using project, taken, token, lease, taken[1], taken[cardinality(taken)];
    end $$`,
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
