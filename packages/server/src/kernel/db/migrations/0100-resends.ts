import { type Kysely, sql } from 'kysely'

/**
 * Resends: what a destination gets that is there already (`resends`), and the reads that this takes (`resend_reads`). A
 * run of such a read names its destination. Nodes of the release before start none. One that continues such a run
 * treats it as a backfill: its end moves the mark of the object to the start of the run, which has read all records.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // The newest resend of each destination.
  `create table resends (
    project_id uuid not null,
    destination_id uuid not null,
    id uuid not null,
    integration_id uuid,
    group_ref text,
    object_name text,
    status text not null default 'in_progress' check (status in ('in_progress', 'success', 'failure', 'canceled')),
    listed_to uuid,
    is_listed boolean not null default false,
    next_step_at timestamptz default now(),
    attempt integer not null default 0,
    fence uuid,
    lease_until timestamptz,
    create_time timestamptz not null default now(),
    end_time timestamptz,
    primary key (project_id, destination_id),
    foreign key (project_id, destination_id) references destinations (project_id, id) on delete cascade
  )`,
  `select protect('resends')`,
  'create index resends_due on resends (next_step_at) where next_step_at is not null',
  // No reference to installations: the result also counts those that were deleted meanwhile.
  `create table resend_reads (
    project_id uuid not null,
    destination_id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    status text not null default 'waiting' check (status in ('waiting', 'in_progress', 'success', 'failure', 'canceled')),
    operation_id uuid,
    records bigint not null default 0,
    error text,
    primary key (project_id, destination_id, installation_id, object_name),
    foreign key (project_id, destination_id) references resends on delete cascade
  )`,
  `select protect('resend_reads')`,
  `create index resend_reads_open on resend_reads (project_id, destination_id, status, installation_id, object_name)
    where status in ('waiting', 'in_progress')`,
  'create index resend_reads_operation on resend_reads (project_id, operation_id) where operation_id is not null',
  'alter table read_runs add column resend_to uuid',
  'create index read_runs_of_resends on read_runs (project_id, resend_to) where resend_to is not null',
]
