/**
 * Claims due messages of a destination: new ones by their order time, and those that are tried again in the order in
 * which they became due. If both wait, each gets half of the claim, so that neither delays the other.
 *
 * A function, because planning the search across all days costs far more than the search itself (13 ms and 1): here its
 * plan is kept. It is kept for days, so it must not depend on what was known when it was made: the settings leave it
 * nothing but the indexes messages_new and messages_again, even where a day was still empty. The update is planned each
 * time, for the days of its ids.
 */
export const claimDueMessages = `create or replace function claim_due_messages(project uuid, destination uuid, token uuid, at_most integer, bytes_max bigint, lease interval)
    returns table (id uuid, payload bytea, has_result boolean, attempt integer, schedule_from integer, kind text, event_type text)
    language plpgsql
    set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
    #variable_conflict use_column
    declare taken uuid[];
    begin
      select array_agg(id order by id) into taken
        from (select id, row_number() over by_rank as number, sum(payload_bytes) over by_rank - payload_bytes as before
                from (select id, payload_bytes, row_number() over (order by order_at, id) as rank, false as again
                        from (select id, payload_bytes, order_at from messages
                               where project_id = project and destination_id = destination and state = 'pending' and attempt = 0
                                 and next_attempt_at <= now() and (lease_until is null or lease_until <= now())
                               order by order_at limit at_most for update skip locked) new
                      union all
                      select id, payload_bytes, row_number() over (order by next_attempt_at, id) as rank, true as again
                        from (select id, payload_bytes, next_attempt_at from messages
                               where project_id = project and destination_id = destination and state = 'pending' and attempt > 0
                                 and next_attempt_at <= now() and (lease_until is null or lease_until <= now())
                               order by next_attempt_at limit at_most for update skip locked) tried) due
              window by_rank as (order by rank, again rows unbounded preceding)) summed
       where number <= at_most and before < bytes_max;
      if taken is null then return; end if;
      return query execute
        'update messages set lease_token = $3, lease_until = now() + $4
          where project_id = $1 and id = any($2)
         returning id, payload, has_result, attempt, schedule_from, kind, event_type'
        using project, taken, token, lease;
    end $$`
