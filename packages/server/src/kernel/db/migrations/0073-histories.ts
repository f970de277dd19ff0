import { type Kysely, sql } from 'kysely'

/**
 * Histories of installations and connections (`resource_events`), a log of what providers sent (`provider_events`),
 * and notifications of changed resources for open streams. Scheduled reads that found nothing and proxy calls that
 * succeeded are marked, so that time lines leave them out by an index. Nodes of the release before insert operations
 * without the mark.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

/** What is published of each table: the kind of the resource, and what must differ for an update to be published. */
const published: { table: string; kind: string; columns: readonly string[] }[] = [
  {
    table: 'installations',
    kind: 'installation',
    columns: ['health_status', 'config_id', 'connection_id', 'update_time'],
  },
  {
    table: 'connections',
    kind: 'connection',
    columns: ['status', 'check_outcome', 'provider_workspace_ref', 'update_time'],
  },
  { table: 'integrations', kind: 'integration', columns: ['name', 'latest_revision_id', 'update_time'] },
  { table: 'destinations', kind: 'destination', columns: ['name', 'disabled_time', 'update_time'] },
  { table: 'provider_apps', kind: 'provider-app', columns: ['update_time'] },
]

const statements = [
  // The time of an entry is in its id, a UUIDv7.
  `create table resource_events (
    project_id uuid not null,
    id uuid not null,
    kind text not null,
    group_ref text not null,
    integration_id uuid,
    installation_id uuid,
    connection_id uuid not null,
    created_by text,
    details jsonb not null default '{}',
    primary key (project_id, id)
  )`,
  `select protect('resource_events')`,
  'create index resource_events_of_group on resource_events (project_id, group_ref, id desc)',
  `create index resource_events_of_installation on resource_events (project_id, installation_id, id desc)
    where installation_id is not null`,
  `create index resource_events_of_connection on resource_events (project_id, connection_id, id desc)
    where installation_id is null`,
  // Entries arrive in the order of their ids, so a few pages find the ones past retention.
  'create index resource_events_by_age on resource_events using brin (id)',

  `create table provider_events (
    project_id uuid not null,
    id uuid not null,
    outcome text not null,
    reason text,
    provider text,
    integration_id uuid,
    installation_id uuid,
    object_name text,
    event_name text,
    requests integer not null,
    events integer not null,
    new_events integer not null,
    bytes bigint not null,
    primary key (project_id, id)
  )`,
  `select protect('provider_events')`,
  `create index provider_events_of_installation on provider_events (project_id, installation_id, id desc)
    where installation_id is not null`,
  `create index provider_events_not_accepted on provider_events (project_id, outcome, id desc)
    where outcome <> 'accepted'`,
  'create index provider_events_by_age on provider_events using brin (id)',

  // Set for a scheduled read that found nothing and for a proxy call that succeeded; otherwise null.
  'alter table operations add column is_quiet boolean',
  indexOfDays('operations_shown', '(project_id, installation_id, id desc) where is_quiet is null'),

  // Only while a node of the service follows the changes of the project: transactions that notify commit in turn.
  `create function publish_change() returns trigger language plpgsql set search_path = mortise, pg_temp as $$
    declare
      changed record;
      channel text;
      names jsonb;
    begin
      if tg_op = 'DELETE' then changed := old; else changed := new; end if;
      channel := 'mortise_changes_' || changed.project_id;
      if exists (select from watches where topic = channel and until > now()) then
        names := to_jsonb(changed);
        perform pg_notify(channel, jsonb_strip_nulls(case tg_argv[0]
          when 'event' then jsonb_build_object(
            'kind', case when names ->> 'installation_id' is null then 'connection' else 'installation' end,
            'id', coalesce(names ->> 'installation_id', names ->> 'connection_id'),
            'groupRef', left(names ->> 'group_ref', 1000))
          else jsonb_build_object('kind', tg_argv[0], 'id', names ->> 'id', 'groupRef', left(names ->> 'group_ref', 1000))
          end)::text);
      end if;
      return null;
    end $$`,
  ...published.flatMap(({ table, kind, columns }) => [
    `create trigger publish_change after insert or delete on ${table} for each row
      execute function publish_change('${kind}')`,
    `create trigger publish_changed after update of ${columns.join(', ')} on ${table} for each row
      when ((${rowOf('old', columns)}) is distinct from (${rowOf('new', columns)}))
      execute function publish_change('${kind}')`,
  ]),
  `create trigger publish_change after insert on resource_events for each row execute function publish_change('event')`,
]

function rowOf(version: string, columns: readonly string[]): string {
  return columns.map((column) => `${version}.${column}`).join(', ')
}

/**
 * An index of each new day. Building one blocks writes, so days of more than 64 MB go without, until they are dropped:
 * time lines of those days read more rows.
 */
function indexOfDays(name: string, definition: string): string {
  return `do $do$
    declare day regclass; part text;
    begin
      create index ${name} on only operations ${definition};
      for day in select inhrelid from pg_inherits where inhparent = 'operations'::regclass loop
        continue when pg_table_size(day) > 64 * 1024 * 1024;
        part := '${name}_' || right(day::text, 8);
        execute format('create index %I on %s ${definition}', part, day);
        execute format('alter index ${name} attach partition %I', part);
      end loop;
    end $do$`
}
