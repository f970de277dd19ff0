/** Installation and object of a message, as the index messages_lanes has them. */
const lane = `coalesce(installation_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(object_name, ' ')`

/**
 * Finds messages that wait for a destination, lane by lane, and in each lane in the order of their ids: after a lane, up
 * to and with another one. `due`: it may be sent now, and no worker sends it.
 *
 * A function, for the reason that `claim_due_messages` gives. It is left nothing but the index messages_lanes. The
 * project is compared with `is not distinct from`, which no index answers.
 */
export const waitingInLanes = `create or replace function waiting_in_lanes(project uuid, destination uuid, after_installation uuid, after_object text, last_installation uuid, last_object text, at_most integer)
    returns table (id uuid, installation uuid, object text, bytes integer, due boolean)
    language plpgsql stable
    set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off as $$
    #variable_conflict use_column
    begin
      return query
        select id, ${lane}, payload_bytes, next_attempt_at <= now() and (lease_until is null or lease_until <= now())
          from messages
         where project_id is not distinct from project and destination_id = destination and state = 'pending'
           and (${lane}) > (after_installation, after_object) and (${lane}) <= (last_installation, last_object)
         order by ${lane}, id limit at_most;
    end $$`
