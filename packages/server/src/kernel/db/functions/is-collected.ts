/**
 * Whether enough messages of a destination wait for their first attempt to send them together: by number, by size, or
 * because the oldest has waited long enough. A message that is tried again does not wait.
 *
 * A function, for the reason that `claim_due_messages` gives.
 */
export const isCollected = `create or replace function is_collected(project uuid, destination uuid, count_min integer, bytes_min bigint, wait interval)
    returns boolean
    language plpgsql stable
    set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
    declare is_again boolean; is_enough boolean;
    begin
      select exists (select from messages
                      where project_id = project and destination_id = destination and state = 'pending' and attempt > 0
                        and next_attempt_at <= now() and (lease_until is null or lease_until <= now())) into is_again;
      if is_again then return true; end if;
      select count(*) >= count_min or sum(payload_bytes) >= bytes_min or min(create_time) <= now() - wait into is_enough
        from (select payload_bytes, create_time from messages
               where project_id = project and destination_id = destination and state = 'pending' and attempt = 0
                 and next_attempt_at <= now() and (lease_until is null or lease_until <= now())
               order by order_at limit count_min) new;
      return coalesce(is_enough, false);
    end $$`
