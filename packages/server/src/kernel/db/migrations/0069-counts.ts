import { type Kysely, sql } from 'kysely'

/**
 * Counts of what happens, by hour and by day (UTC): of each object of each installation, and of each object of each
 * integration. Nodes add to them in batches. Partitions are months, so that retention drops a partition. An operation
 * stores its kind of read, and lists of operations have the indexes of their filters. Nodes of the release before
 * insert operations and messages without the new columns.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const counts = `
    reads bigint not null,
    failed_reads bigint not null,
    records bigint not null,
    messages bigint not null,
    deliveries bigint not null,
    failed_deliveries bigint not null,
    provider_calls bigint not null,
    failed_provider_calls bigint not null`

const statements = [
  // The key begins with the time: what nodes add to lies together in the index.
  `create table installation_counts (
    project_id uuid not null,
    period text not null check (period in ('hour', 'day')),
    start_time timestamptz not null,
    installation_id uuid not null,
    object_name text not null,
    integration_id uuid not null,${counts},
    primary key (project_id, period, start_time, installation_id, object_name)
  ) partition by range (start_time)`,
  `select protect('installation_counts')`,
  `create table integration_counts (
    project_id uuid not null,
    period text not null check (period in ('hour', 'day')),
    start_time timestamptz not null,
    integration_id uuid not null,
    object_name text not null,${counts},
    primary key (project_id, period, start_time, integration_id, object_name)
  ) partition by range (start_time)`,
  `select protect('integration_counts')`,
  // Runs with the owner's rights, because the service itself owns no table.
  `create function ensure_count_partitions(first date, last date) returns void
    language plpgsql security definer set search_path = mortise, pg_temp as $$
    declare parent text; month timestamp; part text;
    begin
      perform pg_advisory_xact_lock(hashtext('mortise.partitions'));
      foreach parent in array array['installation_counts', 'integration_counts'] loop
        for month in select generate_series(date_trunc('month', first::timestamp), last::timestamp, interval '1 month') loop
          part := parent || '_' || to_char(month, 'YYYYMM');
          continue when to_regclass(part) is not null;
          execute format('create table %I (like %I including all) with (fillfactor = 70)', part, parent);
          perform protect(part::regclass);
          execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part,
            month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
        end loop;
      end loop;
    end $$`,
  `create function drop_count_partitions(before date) returns setof text
    language plpgsql security definer set search_path = mortise, pg_temp as $$
    declare part text;
    begin
      perform pg_advisory_xact_lock(hashtext('mortise.partitions'));
      for part in
        select child.relname
          from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
         where parent.oid in ('installation_counts'::regclass, 'integration_counts'::regclass) and child.relname ~ '_[0-9]{6}$'
           and to_date(right(child.relname, 6), 'YYYYMM') + interval '1 month' <= before
         order by child.relname
      loop
        execute format('drop table %I', part);
        return next part;
      end loop;
    end $$`,
  // The name of the object, for the counts of its deliveries.
  'alter table messages add column object_name text',
  'alter table operations add column read_type text',
  ...Object.entries({
    of_integration: '(project_id, integration_id, id desc)',
    failed: `(project_id, id desc) where status = 'failure'`,
    running: `(project_id, id desc) where status = 'in_progress'`,
    of_action: `(project_id, action_type, id desc) where action_type <> 'read'`,
    of_read_type: `(project_id, read_type, id desc) where read_type <> 'scheduled'`,
  }).map(([name, definition]) => indexOfDays(`operations_${name}`, definition)),
]

/**
 * An index of each new day. Building one blocks writes, so days of more than 64 MB go without, until they are dropped:
 * lists of those days read more rows.
 */
function indexOfDays(name: string, definition: string): string {
  return `do $do$
    declare day regclass; part text;
    begin
      create index ${name} on only operations ${definition};
      for day in select inhrelid from pg_inherits where inhparent = 'operations'::regclass loop
        continue when pg_table_size(day) > 64 * 1024 * 1024;
        part := '${name}_' || right(day::text, 8);
        execute format('create index %I on %s ${definition.replaceAll("'", "''")}', part, day);
        execute format('alter index ${name} attach partition %I', part);
      end loop;
    end $do$`
}
