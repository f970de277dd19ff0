import { type Kysely, sql } from 'kysely'

/**
 * Subscriptions at providers, and the events that come of them. A subscription is what an installation wants to hear
 * of; its registrations are what the provider knows of it. Events wait here until they are turned into messages.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // `account`: what names the connection's account in events that come for all of an integration.
  `create table subscriptions (
    project_id uuid not null references projects on delete cascade,
    installation_id uuid not null,
    integration_id uuid not null,
    account text,
    error text,
    attempts integer not null default 0,
    next_time timestamptz,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, installation_id),
    foreign key (project_id, installation_id) references installations (project_id, id) on delete cascade
  )`,
  `create index on subscriptions (project_id, integration_id, account)`,
  // Looking for what is due costs what is due, not what there is.
  `create index subscriptions_due on subscriptions (next_time) where next_time is not null`,
  // Without `provider_id` while it is being made. The secret is sealed.
  `create table registrations (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    installation_id uuid not null,
    connection_id uuid not null,
    key text not null,
    object text,
    event text,
    events text[] not null,
    provider_id text,
    sealed_secret text not null,
    expire_time timestamptz,
    create_time timestamptz not null default now(),
    renew_time timestamptz,
    primary key (project_id, id),
    foreign key (project_id, installation_id) references subscriptions (project_id, installation_id) on delete cascade
  )`,
  `create index on registrations (project_id, installation_id)`,
  // Registrations whose installation is gone: what takes to end them, sealed, for a day at most.
  `create table teardowns (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    provider text not null,
    sealed text not null,
    attempts integer not null default 0,
    next_time timestamptz not null,
    create_time timestamptz not null default now(),
    primary key (project_id, id)
  )`,
  `create index on teardowns (next_time)`,
  // Of one installation, or (without one) of all accounts of an integration.
  `create table inbound_events (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    integration_id uuid not null,
    installation_id uuid,
    account text,
    object text,
    name text not null,
    record_id text,
    event_time timestamptz,
    fields_updated text[],
    raw text not null,
    attempts integer not null default 0,
    due_time timestamptz not null,
    create_time timestamptz not null default now(),
    primary key (project_id, id)
  )`,
  `create index on inbound_events (project_id, integration_id, installation_id, due_time)`,
  `create index on inbound_events (due_time)`,
  // Digests of events that came: one that comes again within the window is dropped.
  `create table inbound_keys (
    project_id uuid not null references projects on delete cascade,
    stream_id uuid not null,
    key bytea not null,
    seen_time timestamptz not null,
    primary key (project_id, stream_id, key)
  )`,
  `create index on inbound_keys (seen_time)`,
]
