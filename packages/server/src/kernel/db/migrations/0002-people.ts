import { type Kysely, sql } from 'kysely'

/** Builders: who they are, which organisations they belong to, how they are invited and sign in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The team that everybody of the organisation is in.
  `alter table orgs add column default_team_id uuid not null default gen_random_uuid()`,
  // `password` is null for whoever signs in elsewhere; `idp_provider` and `idp_ref` say where. `email_verified`: that
  // the person reads mail sent to the address is known, not merely said by whoever invited them.
  `create table builders (
    id uuid primary key,
    idp_provider text not null,
    idp_ref text not null,
    email text not null check (email = lower(email)),
    email_verified boolean not null,
    first_name text,
    last_name text,
    full_name text,
    password text,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    unique (idp_provider, idp_ref)
  )`,
  `create unique index on builders (email)`,
  `create table memberships (
    org_id uuid not null references orgs on delete cascade,
    builder_id uuid not null references builders on delete cascade,
    role text not null check (role in ('member', 'owner')),
    create_time timestamptz not null default now(),
    primary key (org_id, builder_id)
  )`,
  `create index on memberships (builder_id)`,
  // The token of an invite is derived from its id: nothing of it is stored. `mailed`: the link went to the address by
  // mail, so that whoever brings it reads that mail.
  `create table invites (
    id uuid primary key,
    org_id uuid not null references orgs on delete cascade,
    invited_email text not null check (invited_email = lower(invited_email)),
    status text not null default 'pending' check (status in ('pending', 'accepted', 'revoked', 'expired')),
    mailed boolean not null,
    created_by text not null,
    expire_time timestamptz not null,
    create_time timestamptz not null default now(),
    update_time timestamptz
  )`,
  `create unique index invites_pending on invites (org_id, invited_email) where status = 'pending'`,
  `create index on invites (invited_email)`,
  `create table claimed_domains (
    id uuid primary key,
    org_id uuid not null references orgs on delete cascade,
    domain text not null unique,
    create_time timestamptz not null default now()
  )`,
  `create index on claimed_domains (org_id)`,
  // Of a session's token only the hash is kept.
  `create table sessions (
    id uuid primary key,
    builder_id uuid not null references builders on delete cascade,
    token_hash bytea not null unique,
    create_time timestamptz not null default now(),
    expire_time timestamptz not null
  )`,
  `create index on sessions (builder_id)`,
  `create index on sessions (expire_time)`,
  // The keys that builders' tokens are signed with; the private half is sealed.
  `create table signing_keys (
    id text primary key,
    public_jwk jsonb not null,
    sealed_private_jwk text not null,
    active boolean not null default true,
    create_time timestamptz not null default now()
  )`,
]
