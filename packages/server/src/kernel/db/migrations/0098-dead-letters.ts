import { type Kysely, sql } from 'kysely'

/**
 * Messages say why they failed. Records that a destination refused become separate messages, whose records can be
 * corrected. Nodes of the release before write none of these columns: their failed messages have used all attempts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // `rejected_records`: records of a delivered message that became separate messages. `original_records`: the JSON
  // array before the first correction.
  `alter table messages
     add column failure text check (failure in ('refused', 'exhausted')),
     add column split_from uuid,
     add column rejected_records integer not null default 0,
     add column original_records bytea,
     add column corrected_by text,
     add column correct_time timestamptz`,
  `alter table messages alter column original_records set storage external`,
  // As drop_partitions, and keeps a day while one of its messages failed after a time. Nodes of the release before call
  // the former function.
  `create function drop_expired_partitions(before date, dead_letters_from timestamptz) returns setof text
    language plpgsql security definer set search_path = mortise, pg_temp as $$
    declare part record; day date; needed boolean;
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
        needed := false;
        if part.parent in ('messages', 'message_results', 'attempts') and to_regclass('messages_' || right(part.name, 8)) is not null then
          execute format('select exists (select from %I where state = ''pending'')
                              or exists (select from %I where state = ''failed'' and end_time >= $1)',
                         'messages_' || right(part.name, 8), 'messages_' || right(part.name, 8)) into needed using dead_letters_from;
        end if;
        if part.parent in ('operations', 'operation_logs') and to_regclass('operations_' || right(part.name, 8)) is not null then
          execute format('select exists (select from %I where status = ''in_progress'')', 'operations_' || right(part.name, 8)) into needed;
        end if;
        continue when needed;
        execute format('drop table %I', part.name);
        return next part.name;
      end loop;
    end $$`,
]
