import { type Kysely, sql } from 'kysely'

/**
 * Clients that Mortise registered at authorization servers which it looked up, once for each project, issuer and
 * redirect URI, and the scopes that accounts must still grant.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table client_registrations (
    project_id uuid not null,
    id uuid not null,
    issuer text not null,
    redirect_uri text not null,
    encrypted text not null,
    create_time timestamptz not null,
    expire_time timestamptz not null,
    secret_expire_time timestamptz,
    primary key (project_id, id),
    unique (project_id, issuer, redirect_uri)
  )`,
  `select protect('client_registrations')`,
  'create index client_registrations_expire_time on client_registrations (expire_time)',
  `create trigger refuse_closed_key_of_encrypted before insert or update of encrypted on client_registrations
    for each row when (encryption_key_closed(new.encrypted)) execute function refuse_closed_encryption_key('encrypted')`,
  'alter table connection_credentials add column needed_scopes text[]',
]
