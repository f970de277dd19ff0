import { type Kysely, sql } from 'kysely'

/**
 * Adds the second factors of people: TOTP and passkeys, recovery codes, factors that are being set up, and sign-ins
 * that wait for the second step. Sessions say where they began, and when their person last proved who they are. Nodes
 * of the release before insert sessions without the new columns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table factors (
    id uuid primary key,
    builder_id uuid not null references builders on delete cascade,
    kind text not null check (kind in ('totp', 'passkey')),
    name text not null,
    encrypted_secret text,
    last_step bigint,
    credential_id text unique,
    public_key bytea,
    counter bigint,
    transports text[],
    create_time timestamptz not null default now(),
    use_time timestamptz,
    check (case kind when 'totp' then encrypted_secret is not null
                     else credential_id is not null and public_key is not null and counter is not null end)
  )`,
  `create index on factors (builder_id)`,
  `create trigger refuse_closed_key_of_encrypted_secret before insert or update of encrypted_secret on factors
    for each row when (encryption_key_closed(new.encrypted_secret)) execute function refuse_closed_encryption_key('encrypted_secret')`,
  `create table recovery_codes (
    builder_id uuid not null references builders on delete cascade,
    code_hash bytea not null,
    create_time timestamptz not null default now(),
    primary key (builder_id, code_hash)
  )`,
  // Of each kind, a person sets up one factor at a time.
  `create table factor_setups (
    builder_id uuid not null references builders on delete cascade,
    kind text not null check (kind in ('totp', 'passkey')),
    session_id uuid not null references sessions on delete cascade,
    encrypted text not null,
    expire_time timestamptz not null,
    primary key (builder_id, kind)
  )`,
  `create index on factor_setups (session_id)`,
  `create index on factor_setups (expire_time)`,
  `create trigger refuse_closed_key_of_encrypted before insert or update of encrypted on factor_setups
    for each row when (encryption_key_closed(new.encrypted)) execute function refuse_closed_encryption_key('encrypted')`,
  // Browsers whose person entered the password, and not yet the second factor.
  `create table half_sign_ins (
    token_hash bytea primary key,
    browser_hash bytea not null,
    builder_id uuid not null references builders on delete cascade,
    challenge text not null,
    expire_time timestamptz not null,
    create_time timestamptz not null default now()
  )`,
  `create index on half_sign_ins (builder_id)`,
  `create index on half_sign_ins (expire_time)`,
  `alter table sessions
    add column method text,
    add column address text,
    add column user_agent text,
    add column use_time timestamptz,
    add column proof_time timestamptz`,
  `alter table sign_in_codes add column method text`,
  `alter table orgs add column require_second_factor boolean not null default false`,
  `alter table password_resets add column remove_factors boolean not null default false`,
]
