/**
 * Renews the shares of one node, for all of its limits. A share is never granted twice while its lease lasts. A node
 * that has more than its fair part keeps only that part and what it needs. The other nodes get the rest with their next
 * renewal. A function, because renewals must run one at a time: each must see what the one before it committed.
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
