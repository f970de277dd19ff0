import { type Kysely, sql } from 'kysely'

/**
 * The records of destinations of type `records`, one store for each. A node of the release before does not know the
 * type: it leaves their messages to a node of this release.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Without a destination: what is left of one that was deleted, or that has another type now.
  `create table record_stores (
    project_id uuid not null,
    id uuid not null,
    destination_id uuid,
    position bigint not null default 0,
    forgotten_position bigint not null default 0,
    retention_days integer,
    clean_at timestamptz not null default now(),
    create_time timestamptz not null default now(),
    primary key (project_id, id),
    unique (project_id, destination_id),
    foreign key (project_id, destination_id) references destinations (project_id, id) on delete set null (destination_id)
  )`,
  `select protect('record_stores')`,
  'create index record_stores_due on record_stores (clean_at)',
  'create index record_stores_left on record_stores (project_id, id) where destination_id is null',
  // The key is a hash: the id of a record may be longer than an index takes.
  `create table records (
    project_id uuid not null,
    installation_id uuid not null,
    store_id uuid not null,
    record_key bytea not null,
    object_name text not null,
    record_id text not null,
    group_ref text not null,
    provider text not null,
    workspace text not null,
    position bigint not null,
    message_id uuid not null,
    content_message_id uuid,
    deleted_at timestamptz,
    content text,
    encrypted_content text,
    content_bytes integer not null default 0,
    fingerprint bytea,
    touched_on date not null,
    primary key (project_id, installation_id, store_id, record_key)
  )`,
  `select protect('records')`,
  'create index records_of_object on records (project_id, store_id, object_name, position)',
  'create index records_of_installation on records (project_id, store_id, installation_id, object_name, position)',
  'create index records_of_age on records (project_id, store_id, (deleted_at is not null), touched_on)',
  `create trigger refuse_closed_key_of_encrypted_content before insert or update of encrypted_content on records
    for each row when (encryption_key_closed(new.encrypted_content))
    execute function refuse_closed_encryption_key('encrypted_content')`,
  // Installations that were deleted, whose records are not deleted yet.
  `create table record_removals (
    project_id uuid not null,
    installation_id uuid not null,
    primary key (project_id, installation_id)
  )`,
  `select protect('record_removals')`,
]
