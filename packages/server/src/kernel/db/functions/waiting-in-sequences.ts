/** Installation and object of a message, as the index messages_sequences has them. */
const sequence = `coalesce(installation_id, '00000000-0000-0000-0000-000000000000'::uuid), coalesce(object_name, ' ')`

/**
 * Finds messages that wait for a destination, one sequence after the other, and in each in the order of their ids:
 * after a sequence, up to and with another one. `due`: it may be sent now, and no worker sends it.
 *
 * A function, for the reason that `claim_due_messages` gives. It is left nothing but the index messages_sequences. The
 * project is compared with `is not distinct from`, which no index answers.
 */
export const waitingInSequences = `create or replace function waiting_in_sequences(project uuid, destination uuid, after_installation uuid, after_object text, last_installation uuid, last_object text, at_most integer)
    returns table (id uuid, installation uuid, object text, bytes integer, due boolean)
    language plpgsql stable
    set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set enable_incremental_sort = off as $$
    #variable_conflict use_column
    begin
      return query
        select id, ${sequence}, payload_bytes, next_attempt_at <= now() and (lease_until is null or lease_until <= now())
          from messages
         where project_id is not distinct from project and destination_id = destination and state = 'pending'
           and (${sequence}) > (after_installation, after_object) and (${sequence}) <= (last_installation, last_object)
         order by ${sequence}, id limit at_most;
    end $$`
