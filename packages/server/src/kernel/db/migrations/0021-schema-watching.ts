import { type Kysely, sql } from 'kysely'

/**
 * Watched schemas: per object of an installation, what its fields were when they were seen last and when they are
 * looked at next; and what was seen to change.
 *
 * Fields are `json`, not `jsonb`: they are never searched, and names of providers may hold what `jsonb` refuses
 * (U+0000).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // `fence`: who looks at it now; gone when that has ended. `fields` is null until the first look, and belongs to the
  // connection, module and declaration beside it: of another one there is nothing to compare with.
  `create table schema_watches (
    project_id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    schedule text not null,
    next_check_at timestamptz not null,
    fence uuid,
    connection_id uuid,
    module text,
    declaration text,
    fields json,
    check_time timestamptz,
    failure_count integer not null default 0,
    last_error text,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, installation_id, object_name),
    foreign key (project_id, installation_id) references installations on delete cascade
  )`,
  `create index schema_watches_due on schema_watches (next_check_at)`,
  `create table schema_changes (
    project_id uuid not null,
    id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    created_fields json not null,
    deleted_fields json not null,
    changed_fields json not null,
    create_time timestamptz not null default now(),
    primary key (project_id, id),
    foreign key (project_id, installation_id) references installations on delete cascade
  )`,
  `create index on schema_changes (project_id, installation_id, id)`,
  `create index on schema_changes (create_time)`,
]
