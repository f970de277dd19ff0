/**
 * Finds destinations that have due messages: one step in the index messages_due for each destination with pending ones,
 * however many those are. A missing destination has been deleted.
 *
 * A function, because its plan must not depend on statistics. Most of the time few messages wait. With statistics of
 * such a time, the planner expects next to none, and sorts all that wait: 4 s for 300,000 messages.
 *
 * The project is compared with `is not distinct from`, which no index answers: with `=`, the planner may take
 * messages_of_destination in place of messages_due, and read every message that a destination ever had.
 */
export const findDueDestinations = `create or replace function find_due_destinations()
    returns table (project_id uuid, destination_id uuid, missing boolean)
    language plpgsql stable
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off as $$
    #variable_conflict use_column
    begin
      return query
        with recursive waiting as (
          (select m.destination_id, m.project_id from messages m
            where m.state = 'pending' and m.destination_id is not null order by m.destination_id limit 1)
          union all
          select next.destination_id, next.project_id from waiting, lateral (
            select m.destination_id, m.project_id from messages m
             where m.state = 'pending' and m.destination_id > waiting.destination_id order by m.destination_id limit 1) next
        )
        select w.project_id, w.destination_id, d.id is null
          from waiting w left join destinations d on d.project_id = w.project_id and d.id = w.destination_id
         where d.id is null
            or (d.disabled_time is null and (d.probe_at is null or d.probe_at <= now())
                and exists (select from messages m
                             where m.project_id is not distinct from w.project_id and m.destination_id = w.destination_id
                               and m.state = 'pending' and m.next_attempt_at <= now()
                               and (m.lease_until is null or m.lease_until <= now())));
    end $$`
