import { type Kysely, sql } from 'kysely'

/**
 * Replaces the keys that lacked the project, so that the tables can be distributed by it. What they found is still
 * found by an index. The values are unique without a key: hashes of random secrets, and ids that the service makes.
 *
 * All of these tables are small: keys and sign-ins of people, and the idempotency keys of one day.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create index api_keys_hash on api_keys (hash)`,
  `alter table api_keys drop constraint api_keys_hash_key`,
  `drop index connect_sessions_token`,
  `create index connect_sessions_token on connect_sessions (token_hash)`,
  `drop index custom_auth_sessions_state`,
  `create index custom_auth_sessions_state on custom_auth_sessions (state_hash)`,
  `drop index oauth_flows_state`,
  `create index oauth_flows_state on oauth_flows (state_hash)`,
  `drop index jwt_keys_id_idx`,
  `create index jwt_keys_id on jwt_keys (id)`,
  // Requests of builders that name no project had rows without one.
  `create table builder_idempotency_keys (
    id bytea primary key,
    fingerprint bytea not null,
    status smallint,
    encrypted_answer text,
    create_time timestamptz not null default now(),
    check ((status is null) = (encrypted_answer is null))
  )`,
  `create index on builder_idempotency_keys (create_time)`,
  `with moved as (
    delete from idempotency_keys where project_id is null
    returning id, fingerprint, status, encrypted_answer, create_time
  ) insert into builder_idempotency_keys select * from moved`,
  `create trigger refuse_closed_key_of_encrypted_answer before insert or update of encrypted_answer on builder_idempotency_keys
    for each row when (encryption_key_closed(new.encrypted_answer)) execute function refuse_closed_encryption_key('encrypted_answer')`,
  `alter table idempotency_keys drop constraint idempotency_keys_pkey, add primary key (project_id, id)`,
  `drop index idempotency_keys_project_id_idx`,
]
