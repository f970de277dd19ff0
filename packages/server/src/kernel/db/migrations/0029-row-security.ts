import { type Kysely, sql } from 'kysely'

/**
 * Protects every table of a project with row-level security, and makes the functions for partitions protect the ones
 * that they add.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `select protect(c.oid) from pg_class c
    where relnamespace = 'mortise'::regnamespace and relkind in ('r', 'p') and not relispartition
      and (relname = 'projects'
        or exists (select from pg_attribute where attrelid = c.oid and attname = 'project_id' and not attisdropped))`,
  // Row-level security keeps an index from a condition that might tell rows apart before the policy has. PostgreSQL
  // trusts `case` here, but not `coalesce`: with that, every batch would sort all events that wait.
  `create index inbound_events_of_stream on inbound_events
    (project_id, (case when installation_id is null then integration_id else installation_id end), due_time, id)`,
  `drop index inbound_events_in_order`,
  // As before, with protect() for each new partition.
  `create or replace function ensure_partitions(first date, last date) returns void
    language plpgsql security definer set search_path = mortise, pg_temp as $$
    declare parent record; day date; part text; rest text;
    begin
      perform pg_advisory_xact_lock(hashtext('mortise.partitions'));
      for parent in
        select * from (values ('operations', 'id', 100), ('operation_logs', 'operation_id', 100), ('messages', 'id', 50),
                              ('message_results', 'id', 100), ('attempts', 'message_id', 100)) as parent (name, key, fillfactor)
      loop
        rest := parent.name || '_rest';
        if to_regclass(rest) is null then
          execute format('create table %I partition of %I default with (fillfactor = %s)', rest, parent.name, parent.fillfactor);
          perform protect(rest::regclass);
        end if;
        for day in select generate_series(first, last, interval '1 day')::date loop
          part := parent.name || '_' || to_char(day, 'YYYYMMDD');
          continue when to_regclass(part) is not null;
          execute format('create table %I (like %I including all) with (fillfactor = %s)', part, parent.name, parent.fillfactor);
          execute format('with moved as (delete from %I where %I >= %L and %I < %L returning *) insert into %I select * from moved',
            rest, parent.key, day_floor(day), parent.key, day_floor(day + 1), part);
          perform protect(part::regclass);
          execute format('alter table %I attach partition %I for values from (%L) to (%L)',
            parent.name, part, day_floor(day), day_floor(day + 1));
        end loop;
      end loop;
    end $$`,
  // As before, but never by what row-level security hides: a day whose waiting messages the owner cannot see would be
  // dropped with them.
  `create or replace function drop_partitions(before date) returns setof text
    language plpgsql security definer set search_path = mortise, pg_temp as $$
    declare part record; day date; waiting boolean;
    begin
      perform pg_advisory_xact_lock(hashtext('mortise.partitions'));
      for part in
        select child.relname as name, parent.relname as parent,
               row_security_active(child.oid) and not exists (
                 select from pg_policy where polrelid = child.oid and polname = 'owner' and child.relowner = any (polroles)) as hidden
          from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
         where parent.relnamespace = 'mortise'::regnamespace and child.relname ~ '_[0-9]{8}$'
         order by child.relname
      loop
        day := to_date(right(part.name, 8), 'YYYYMMDD');
        continue when day >= before;
        if part.hidden then
          raise exception 'row-level security hides % from its owner', part.name using hint = 'Restart Mortise: a start renews the policies.';
        end if;
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
]
