import { type Kysely, sql } from 'kysely'

/** Writes to providers under way: what was accepted and has no outcome yet. A row goes when its operation ends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // One row for each operation. Until `gather_until` it takes further records; `sending` while the outcome of what was
  // sent is not known.
  `create table write_runs (
    project_id uuid not null,
    operation_id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    type text not null check (type in ('create', 'update', 'delete')),
    mode text not null check (mode in ('synchronous', 'asynchronous')),
    batch boolean not null,
    all_or_none boolean not null default false,
    sealed_headers text,
    records integer not null,
    variant bytea,
    gather_until timestamptz,
    retry_hours integer not null,
    deadline timestamptz not null,
    position integer not null default 0,
    sending boolean not null default false,
    record_ids jsonb not null default '[]',
    errors jsonb not null default '[]',
    succeeded integer not null default 0,
    failed integer not null default 0,
    attempt integer not null default 0,
    next_attempt_at timestamptz not null,
    fence uuid,
    lease_until timestamptz,
    create_time timestamptz not null default now(),
    primary key (project_id, operation_id),
    foreign key (project_id, installation_id) references installations on delete cascade
  )`,
  // Records that are gathered join the one row that still takes them.
  `create unique index write_runs_gathering on write_runs (project_id, installation_id, object_name, type, variant)
    where gather_until is not null`,
  `create index write_runs_of_object on write_runs (project_id, installation_id, object_name, operation_id)`,
  `create index write_runs_due on write_runs (next_attempt_at) where gather_until is null`,
  `create index write_runs_gathered on write_runs (gather_until) where gather_until is not null`,
  // What is to be written, as the provider gets it, sealed.
  `create table write_items (
    project_id uuid not null,
    operation_id uuid not null,
    position integer not null,
    sealed text not null,
    primary key (project_id, operation_id, position),
    foreign key (project_id, operation_id) references write_runs on delete cascade
  )`,
]
