import { type Kysely, sql } from 'kysely'

/**
 * Sign-in of consumers to the MCP server of a project: registered clients, requests that wait for a person, and the
 * sessions that follow. Secrets are stored as SHA-256 digests only. Requests and sessions end with their group and
 * their consumer, by foreign keys.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'alter table projects add column agent_sign_in_url text',
  `create table agent_clients (
    project_id uuid not null,
    id uuid not null,
    name text not null,
    redirect_uris text[] not null,
    used boolean not null default false,
    create_time timestamptz not null,
    expire_time timestamptz not null,
    primary key (project_id, id)
  )`,
  `select protect('agent_clients')`,
  'create index agent_clients_unused on agent_clients (project_id, create_time) where not used',
  'create index agent_clients_expire_time on agent_clients (expire_time)',
  `create table agent_sign_ins (
    project_id uuid not null,
    id uuid not null,
    client_id text not null,
    client_name text not null,
    redirect_uri text not null,
    state text,
    code_challenge text not null,
    browser_hash bytea not null,
    status text not null default 'waiting' check (status in ('waiting', 'completed', 'refused', 'granted', 'ended')),
    group_ref text,
    consumer_ref text,
    ticket_hash bytea,
    code_hash bytea,
    code_expire_time timestamptz,
    session_id uuid,
    create_time timestamptz not null,
    expire_time timestamptz not null,
    primary key (project_id, id),
    foreign key (project_id, group_ref) references groups on delete cascade,
    foreign key (project_id, consumer_ref) references consumers on delete cascade
  )`,
  `select protect('agent_sign_ins')`,
  'create index agent_sign_ins_code on agent_sign_ins (project_id, code_hash) where code_hash is not null',
  'create index agent_sign_ins_of_group on agent_sign_ins (project_id, group_ref) where group_ref is not null',
  'create index agent_sign_ins_of_consumer on agent_sign_ins (project_id, consumer_ref) where consumer_ref is not null',
  'create index agent_sign_ins_expire_time on agent_sign_ins (expire_time)',
  // The token of a request does not say its project, so the index does not begin with it.
  `create table agent_sessions (
    project_id uuid not null,
    id uuid not null,
    client_id text not null,
    client_name text not null,
    group_ref text not null,
    consumer_ref text not null,
    access_hash bytea not null,
    access_expire_time timestamptz not null,
    family_hash bytea not null,
    refresh_hash bytea not null,
    create_time timestamptz not null,
    refresh_time timestamptz,
    expire_time timestamptz not null,
    primary key (project_id, id),
    foreign key (project_id, group_ref) references groups on delete cascade,
    foreign key (project_id, consumer_ref) references consumers on delete cascade
  )`,
  `select protect('agent_sessions')`,
  'create index agent_sessions_access on agent_sessions (access_hash)',
  'create index agent_sessions_family on agent_sessions (project_id, family_hash)',
  'create index agent_sessions_of_group on agent_sessions (project_id, group_ref)',
  'create index agent_sessions_of_consumer on agent_sessions (project_id, consumer_ref)',
  'create index agent_sessions_expire_time on agent_sessions (expire_time)',
]
