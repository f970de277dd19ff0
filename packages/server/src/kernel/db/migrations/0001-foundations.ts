import { type Kysely, sql } from 'kysely'

/**
 * The whole first schema. Every table of a project leads its keys with `project_id`, so that rows of two projects
 * cannot be linked. Ids are UUIDv7 made by the application; times are set by the database. Tables that only grow
 * (operations, their logs, messages, attempts) are partitioned by day through their id: a partition is dropped, never
 * deleted from.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...statements, ...partitionFunctions]) await sql.raw(statement).execute(db)
}

const statements = [
  `create table orgs (
    id uuid primary key,
    label text not null,
    create_time timestamptz not null default now(),
    update_time timestamptz
  )`,
  `create table projects (
    id uuid primary key,
    org_id uuid not null references orgs,
    name text not null unique,
    app_name text not null,
    create_time timestamptz not null default now(),
    update_time timestamptz
  )`,
  `create index on projects (org_id)`,
  `create table seal_keys (
    key_id text primary key,
    create_time timestamptz not null default now()
  )`,
  `create table api_keys (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    label text not null,
    scopes text[] not null,
    hash bytea not null unique,
    sealed text not null,
    hint text not null,
    active boolean not null default true,
    created_by text not null,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, id)
  )`,
  `create table integrations (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    name text not null,
    provider text not null,
    latest_revision_id uuid not null,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, id),
    unique (project_id, name)
  )`,
  `create table revisions (
    project_id uuid not null,
    id uuid not null,
    integration_id uuid not null,
    spec_version text not null,
    content jsonb not null,
    content_hash bytea not null,
    create_time timestamptz not null default now(),
    primary key (project_id, id),
    foreign key (project_id, integration_id) references integrations on delete cascade deferrable initially deferred
  )`,
  `create index on revisions (project_id, integration_id)`,
  `alter table integrations add foreign key (project_id, latest_revision_id) references revisions deferrable initially deferred`,
  `create table uploads (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    md5 text,
    body bytea,
    create_time timestamptz not null default now(),
    expire_time timestamptz not null,
    primary key (project_id, id)
  )`,
  `alter table uploads alter column body set storage external`,
  `create index on uploads (expire_time)`,
  `create table groups (
    project_id uuid not null references projects on delete cascade,
    group_ref text not null,
    group_name text not null,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, group_ref)
  )`,
  `create table consumers (
    project_id uuid not null references projects on delete cascade,
    consumer_ref text not null,
    consumer_name text not null,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, consumer_ref)
  )`,
  `create table connections (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    provider text not null,
    group_ref text not null,
    consumer_ref text not null,
    auth_scheme text not null,
    status text not null check (status in ('created', 'working', 'bad_credentials')),
    provider_workspace_ref text,
    provider_consumer_ref text,
    provider_metadata jsonb,
    rate_limited_until timestamptz,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, id),
    foreign key (project_id, group_ref) references groups,
    foreign key (project_id, consumer_ref) references consumers
  )`,
  // The same account connected again is updated in place; an absent workspace equals an absent workspace.
  `create unique index connections_identity on connections
    (project_id, provider, group_ref, consumer_ref, provider_workspace_ref) nulls not distinct`,
  `create index on connections (project_id, group_ref)`,
  `create index on connections (project_id, consumer_ref)`,
  // Credentials stand alone, in a table that nothing references: a refresh locks this row and nothing else.
  `create table connection_credentials (
    project_id uuid not null,
    connection_id uuid not null,
    generation integer not null default 1,
    sealed text not null,
    expire_time timestamptz,
    update_time timestamptz not null default now(),
    primary key (project_id, connection_id)
  )`,
  `create table installations (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    integration_id uuid not null,
    group_ref text not null,
    connection_id uuid not null,
    config_id uuid not null,
    health_status text not null default 'healthy' check (health_status in ('healthy', 'unhealthy')),
    last_operation_status text check (last_operation_status in ('success', 'failure', 'in_progress')),
    created_by text not null,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, id),
    unique (project_id, integration_id, group_ref, connection_id),
    foreign key (project_id, integration_id) references integrations on delete cascade,
    foreign key (project_id, group_ref) references groups,
    foreign key (project_id, connection_id) references connections
  )`,
  `create index on installations (project_id, connection_id)`,
  `create index on installations (project_id, group_ref)`,
  `create table configs (
    project_id uuid not null,
    id uuid not null,
    installation_id uuid not null,
    version integer not null,
    revision_id uuid not null,
    content jsonb not null,
    created_by text not null,
    create_time timestamptz not null default now(),
    primary key (project_id, id),
    unique (project_id, installation_id, version),
    foreign key (project_id, installation_id) references installations on delete cascade deferrable initially deferred,
    foreign key (project_id, revision_id) references revisions on delete cascade
  )`,
  `create index on configs (project_id, revision_id)`,
  `alter table installations add foreign key (project_id, config_id) references configs deferrable initially deferred`,
  // One row per installation and object that is read: its schedule, its mark, and why it stands still.
  `create table read_states (
    project_id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    schedule text,
    next_run_at timestamptz,
    high_water_mark timestamptz,
    paused text check (paused in ('request', 'config', 'failures', 'credentials', 'removed')),
    paused_time timestamptz,
    failure_count integer not null default 0,
    last_error text,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, installation_id, object_name),
    foreign key (project_id, installation_id) references installations on delete cascade
  )`,
  `create index read_states_due on read_states (next_run_at) where next_run_at is not null and paused is null`,
  // A run that has been asked for: backfill, scheduled or triggered. Removed when its operation ends.
  `create table read_runs (
    project_id uuid not null,
    operation_id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    kind text not null check (kind in ('backfill', 'scheduled', 'triggered')),
    since timestamptz,
    until timestamptz,
    page text,
    pages integer not null default 0,
    records bigint not null default 0,
    records_estimated bigint,
    attempt integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    first_error_at timestamptz,
    fence uuid,
    lease_until timestamptz,
    create_time timestamptz not null default now(),
    primary key (project_id, operation_id),
    foreign key (project_id, installation_id) references installations on delete cascade
  )`,
  // An object that is due again while its last scheduled run still waits is read once.
  `create unique index read_runs_scheduled on read_runs (project_id, installation_id, object_name) where kind = 'scheduled'`,
  `create index read_runs_of_object on read_runs (project_id, installation_id, object_name, create_time)`,
  `create index read_runs_due on read_runs (next_attempt_at)`,
  // The last backfill of each object, kept after its run has ended.
  `create table backfills (
    project_id uuid not null,
    installation_id uuid not null,
    object_name text not null,
    operation_id uuid not null,
    records_processed bigint not null default 0,
    records_estimated bigint,
    done_time timestamptz,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, installation_id, object_name),
    foreign key (project_id, installation_id) references installations on delete cascade
  )`,
  `create table operations (
    project_id uuid not null,
    id uuid not null,
    integration_id uuid not null,
    installation_id uuid not null,
    config_id uuid not null,
    action_type text not null,
    resource text,
    status text not null check (status in ('success', 'failure', 'in_progress')),
    result text,
    metadata jsonb not null default '{}',
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, id)
  ) partition by range (id)`,
  `create index on operations (project_id, installation_id, id desc)`,
  `create table operation_logs (
    project_id uuid not null,
    operation_id uuid not null,
    id uuid not null,
    severity text not null,
    message jsonb not null,
    create_time timestamptz not null default now(),
    primary key (project_id, operation_id, id)
  ) partition by range (operation_id)`,
  `create table destinations (
    project_id uuid not null references projects on delete cascade,
    id uuid not null,
    name text not null,
    type text not null,
    metadata jsonb not null,
    sealed_secrets text not null,
    previous_secrets jsonb not null default '[]',
    disabled_time timestamptz,
    disabled_reason text,
    first_failure_at timestamptz,
    failure_count integer not null default 0,
    probe_at timestamptz,
    probe_rung integer not null default 0,
    create_time timestamptz not null default now(),
    update_time timestamptz,
    primary key (project_id, id),
    unique (project_id, name)
  )`,
  // A message waits here until it is delivered or given up. `destination_id` is null while no destination of that name
  // exists.
  `create table messages (
    project_id uuid not null,
    id uuid not null,
    destination_id uuid,
    destination_name text not null,
    kind text not null,
    installation_id uuid,
    operation_id uuid,
    state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'discarded')),
    payload bytea not null,
    payload_bytes integer not null,
    has_result boolean not null default false,
    attempt integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    lease_token uuid,
    lease_until timestamptz,
    create_time timestamptz not null default now(),
    end_time timestamptz,
    primary key (project_id, id)
  ) partition by range (id)`,
  `alter table messages alter column payload set storage external`,
  `create index messages_due on messages (destination_id, next_attempt_at) where state = 'pending' and destination_id is not null`,
  `create index messages_held on messages (project_id, destination_name) where state = 'pending' and destination_id is null`,
  `create index messages_of_operation on messages (project_id, operation_id) where operation_id is not null`,
  // A record too large for its message, fetched by a signed URL; has the id of the message.
  `create table message_results (
    project_id uuid not null,
    id uuid not null,
    body bytea not null,
    create_time timestamptz not null default now(),
    primary key (project_id, id)
  ) partition by range (id)`,
  `alter table message_results alter column body set storage external`,
  `create table attempts (
    project_id uuid not null,
    message_id uuid not null,
    number integer not null,
    destination_id uuid not null,
    status integer,
    error text,
    response text,
    duration_ms integer not null,
    create_time timestamptz not null default now(),
    primary key (project_id, message_id, number)
  ) partition by range (message_id)`,
]

/**
 * Names the day's partition and its bounds: the first 48 bits of a UUIDv7 are milliseconds since 1970 (RFC 9562, 5.7).
 */
const partitionFunctions = [
  `create function day_floor(day date) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
  $$`,
  // Runs with the owner's rights, because the service itself owns no table. Rows of a day that had no partition when
  // they were written (nobody made one for more than a week) move from the rest into it.
  `create function ensure_partitions(first date, last date) returns void
    language plpgsql security definer set search_path = mortise, pg_temp as $$
    declare parent record; day date; part text; rest text;
    begin
      perform pg_advisory_xact_lock(hashtext('mortise.partitions'));
      for parent in
        select * from (values ('operations', 'id'), ('operation_logs', 'operation_id'), ('messages', 'id'), ('message_results', 'id'),
                              ('attempts', 'message_id')) as parent (name, key)
      loop
        rest := parent.name || '_rest';
        if to_regclass(rest) is null then
          execute format('create table %I partition of %I default', rest, parent.name);
        end if;
        for day in select generate_series(first, last, interval '1 day')::date loop
          part := parent.name || '_' || to_char(day, 'YYYYMMDD');
          continue when to_regclass(part) is not null;
          execute format('create table %I (like %I including all)', part, parent.name);
          execute format('with moved as (delete from %I where %I >= %L and %I < %L returning *) insert into %I select * from moved',
            rest, parent.key, day_floor(day), parent.key, day_floor(day + 1), part);
          execute format('alter table %I attach partition %I for values from (%L) to (%L)',
            parent.name, part, day_floor(day), day_floor(day + 1));
        end loop;
      end loop;
    end $$`,
  // A day of messages is kept while one of them still waits, and its attempts and large results with it.
  `create function drop_partitions(before date) returns setof text
    language plpgsql security definer set search_path = mortise, pg_temp as $$
    declare part record; day date; waiting boolean;
    begin
      perform pg_advisory_xact_lock(hashtext('mortise.partitions'));
      for part in
        select child.relname as name, parent.relname as parent
          from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
         where parent.relnamespace = 'mortise'::regnamespace and child.relname ~ '_[0-9]{8}$'
         order by child.relname
      loop
        day := to_date(right(part.name, 8), 'YYYYMMDD');
        continue when day >= before;
        waiting := false;
        if part.parent in ('messages', 'message_results', 'attempts') and to_regclass('messages_' || right(part.name, 8)) is not null then
          execute format('select exists (select from %I where state = ''pending'')', 'messages_' || right(part.name, 8)) into waiting;
        end if;
        if part.parent in ('operations', 'operation_logs') and to_regclass('operations_' || right(part.name, 8)) is not null then
          execute format('select exists (select from %I where status = ''in_progress'')', 'operations_' || right(part.name, 8)) into waiting;
        end if;
        continue when waiting;
        execute format('drop table %I', part.name);
        return next part.name;
      end loop;
    end $$`,
  `select ensure_partitions(current_date - 1, current_date + 7)`,
]
