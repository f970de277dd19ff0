/**
 * Renews the shares of one node, all of its limits together. What others have until their leases end is never given
 * twice. Who has more than its part of what all want keeps only that part, and what it needs: the rest goes to the
 * others when they ask next. One at a time, because each looks at what the others have, and each look has to be newer
 * than the wait before it: hence a function.
 */
export const leaseShares = `create or replace function lease_shares(this_node uuid, projects uuid[], names text[], capacities integer[], wants integer[], needs integer[], seconds integer)
    returns table (ordinal integer, granted integer)
    language plpgsql set search_path = mortise, pg_temp as $$
    declare
      others integer; others_want bigint; fair integer;
    begin
      perform pg_advisory_xact_lock(hashtext('mortise.limit_shares'));
      for ordinal in 1 .. coalesce(array_length(names, 1), 0) loop
        select coalesce(sum(share), 0), coalesce(sum(wanted), 0) into others, others_want
          from limit_shares
         where project_id = projects[ordinal] and name = names[ordinal] and node <> this_node and until > clock_timestamp();
        fair := case when others_want = 0 then capacities[ordinal]
                     else greatest(1, floor(capacities[ordinal]::numeric * wants[ordinal] / (wants[ordinal] + others_want))) end;
        granted := greatest(0, needs[ordinal], least(fair, capacities[ordinal] - others));
        insert into limit_shares (project_id, name, node, share, wanted, until)
        values (projects[ordinal], names[ordinal], this_node, granted, wants[ordinal], clock_timestamp() + make_interval(secs => seconds))
        on conflict (project_id, name, node) do update
          set share = excluded.share, wanted = excluded.wanted, until = excluded.until;
        return next;
      end loop;
      delete from limit_shares where until < clock_timestamp() - interval '1 minute';
    end $$`
