import { type Kysely, sql } from 'kysely'

/**
 * Deletions that a provider does not report: the objects whose ids are compared on a schedule (`deletion_checks`), and
 * the ids of their delivered records (`delivered_ids`). Nodes of the release before deliver records without storing
 * their ids; a check of such an object finds them in the list and knows them from then on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table deletion_checks (
    project_id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    schedule text not null,
    next_check_at timestamptz,
    operation_id uuid,
    phase text check (phase in ('sort', 'list', 'compare', 'report')),
    begin_time timestamptz,
    page text,
    listed bigint not null default 0,
    missing bigint not null default 0,
    deleted bigint not null default 0,
    attempt integer not null default 0,
    first_error_at timestamptz,
    baseline_time timestamptz,
    last_check_time timestamptz,
    last_check_status text check (last_check_status in ('success', 'failure')),
    last_error text,
    fence uuid,
    lease_until timestamptz,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, installation_id, object_name),
    foreign key (project_id, installation_id, object_name) references read_states on delete cascade
  )`,
  `select protect('deletion_checks')`,
  'create index deletion_checks_due on deletion_checks (next_check_at) where next_check_at is not null',
  // Each row is a compressed list of ids. \`run\` and \`chunk\` order sorted ids.
  `create table delivered_ids (
    project_id uuid not null,
    id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    part text not null check (part in ('delivered', 'expected', 'listed', 'known', 'missing', 'kept', 'gone')),
    run integer not null default 0,
    chunk integer not null default 0,
    ids bytea not null,
    primary key (project_id, id),
    foreign key (project_id, installation_id, object_name) references deletion_checks on delete cascade
  )`,
  `select protect('delivered_ids')`,
  'alter table delivered_ids alter column ids set storage external',
  'create index delivered_ids_of_part on delivered_ids (project_id, installation_id, object_name, part, run, chunk)',
]
