import { type Kysely, sql } from 'kysely'

/**
 * Calls of agents that a person must approve (`approvals`). Arguments and results are content of the customer's
 * account: they are encrypted. A request expires by its time alone, so no row has to change for it. And how many calls
 * an installation had in the current minute (`tool_windows`).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const refusal = (column: string) =>
  `create trigger refuse_closed_key_of_${column} before insert or update of ${column} on approvals
    for each row when (encryption_key_closed(new.${column})) execute function refuse_closed_encryption_key('${column}')`

const statements = [
  `create table approvals (
    project_id uuid not null,
    id uuid not null,
    installation_id uuid not null,
    tool_name text not null,
    action text not null check (action in ('create', 'update', 'delete')),
    object_name text not null,
    agent text,
    consumer_digest text,
    encrypted_call text not null,
    state_digest text not null,
    status text not null default 'waiting' check (status in ('waiting', 'approved', 'refused', 'done', 'failed')),
    decided_by text,
    comment text,
    encrypted_result text,
    operation_id uuid,
    create_time timestamptz not null default now(),
    expire_time timestamptz not null,
    decide_time timestamptz,
    end_time timestamptz,
    primary key (project_id, id),
    foreign key (project_id, installation_id) references installations (project_id, id) on delete cascade
  )`,
  `select protect('approvals')`,
  refusal('encrypted_call'),
  refusal('encrypted_result'),
  'create index approvals_of_installation on approvals (project_id, installation_id)',
  `create index approvals_of_consumer on approvals (project_id, consumer_digest) where consumer_digest is not null`,
  `create index approvals_waiting on approvals (project_id, id) where status = 'waiting'`,
  'create index approvals_create_time on approvals (create_time)',
  // Half of each page stays free, so that counting updates a row in its page and touches no index.
  `create table tool_windows (
    project_id uuid not null,
    installation_id uuid not null,
    window_start timestamptz not null,
    calls integer not null,
    primary key (project_id, installation_id),
    foreign key (project_id, installation_id) references installations (project_id, id) on delete cascade
  ) with (fillfactor = 50)`,
  `select protect('tool_windows')`,
]
