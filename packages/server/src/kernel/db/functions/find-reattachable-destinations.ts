/**
 * Finds destinations whose name orphan messages have: one step in the index messages_held for each name, however many
 * messages wait for it. A function for the same reason as `find_due_destinations`.
 */
export const findReattachableDestinations = `create or replace function find_reattachable_destinations()
    returns table (project_id uuid, destination_id uuid, name text)
    language plpgsql stable
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off as $$
    #variable_conflict use_column
    begin
      return query
        with recursive held as (
          (select m.project_id, m.destination_name from messages m
            where m.state = 'pending' and m.destination_id is null order by m.project_id, m.destination_name limit 1)
          union all
          select next.project_id, next.destination_name from held, lateral (
            select m.project_id, m.destination_name from messages m
             where m.state = 'pending' and m.destination_id is null
               and (m.project_id, m.destination_name) > (held.project_id, held.destination_name)
             order by m.project_id, m.destination_name limit 1) next
        )
        select d.project_id, d.id, d.name
          from held join destinations d on d.project_id = held.project_id and d.name = held.destination_name;
    end $$`
