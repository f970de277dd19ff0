/**
 * Analyzes tables that have rows for the first time. Until then the planner knows nothing about them. It takes a lookup
 * by a whole key for as cheap as a scan of a project's rows, and prepared statements keep such a plan. Autovacuum looks
 * at most once a minute, and a new service gets thousands of rows before that. A function of the owner, who alone may
 * analyze.
 */
export const analyzeNewTables = `create or replace function analyze_new_tables(bytes integer) returns setof text
    language plpgsql security definer set search_path = mortise, pg_temp as $$
    declare new record;
    begin
      if not pg_try_advisory_xact_lock(hashtext('mortise.analyze')) then return; end if;
      for new in
        select oid::regclass::text as name from pg_class
         where relnamespace = 'mortise'::regnamespace and relkind = 'r' and reltuples < 0 and pg_relation_size(oid) >= bytes
      loop
        execute format('analyze %s', new.name);
        return next new.name;
      end loop;
    end $$`
