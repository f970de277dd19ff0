import { type Kysely, sql } from 'kysely'

/**
 * Adds `protect(table)`: row-level security by project, for a table with `project_id` (and for `projects`, by its
 * `id`). A migration that adds such a table calls it right after `create table`. Calling it again renews the policies,
 * which name the owner of the table.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Policy `project` is for everybody: the rows of the project that the transaction names, and none where it names none
  // (after a transaction, PostgreSQL leaves the setting empty instead of absent). An expression without columns, so
  // that indexes answer it. Policy `owner`: migrations, backups and functions that run with the owner's rights name no
  // project and reach every row; under a login that is owner and service in one, a request names its project and
  // reaches no other. Policy `system`: what reaches across projects by its task.
  `create function protect(target regclass) returns void
    language plpgsql set search_path = mortise, pg_temp as $$
    declare
      tenant text := case
        when target = 'projects'::regclass then 'id'
        when exists (select from pg_attribute where attrelid = target and attname = 'project_id' and not attisdropped) then 'project_id'
      end;
      owner regrole := (select relowner from pg_class where oid = target);
      part regclass;
    begin
      if tenant is null then raise exception '% has no project_id', target; end if;
      execute format('alter table %s enable row level security, force row level security', target);
      execute format('drop policy if exists project on %s', target);
      execute format('drop policy if exists owner on %s', target);
      execute format('drop policy if exists system on %s', target);
      execute format('create policy project on %s using (%I = nullif(current_setting(''mortise.project'', true), '''')::uuid)',
        target, tenant);
      execute format('create policy owner on %s to %s using (nullif(current_setting(''mortise.project'', true), '''') is null)',
        target, owner);
      if exists (select from pg_roles where rolname = 'mortise_system') then
        execute format('create policy system on %s to mortise_system using (true)', target);
      end if;
      for part in select inhrelid::regclass from pg_inherits where inhparent = target loop
        perform protect(part);
      end loop;
    end $$`,
  'revoke execute on function protect(regclass) from public',
]
