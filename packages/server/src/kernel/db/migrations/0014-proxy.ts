import { type Kysely, sql } from 'kysely'

/** What the proxy needs beside what it passes on: shares of limits, and word of what it must look up again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  // Which part of a limit each node may use, and until when. It is no loss when it is empty after a crash: the nodes
  // ask again.
  `create unlogged table limit_shares (
    project_id uuid not null references projects on delete cascade,
    name text not null,
    node uuid not null,
    share integer not null,
    wanted integer not null,
    until timestamptz not null,
    primary key (project_id, name, node)
  )`,
  `create index limit_shares_ended on limit_shares (until)`,
  // Renews the shares of one node, all of its limits at once. What others hold until their leases end is never given
  // twice; who holds more than its part of what all want keeps only that part, and what it needs, so that the rest goes
  // to the others when they ask next. One at a time, because each looks at what the others hold, and each look has to
  // be newer than the wait before it: hence a function.
  `create function lease_shares(this_node uuid, projects uuid[], names text[], capacities integer[], wants integer[], needs integer[], seconds integer)
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
    end $$`,
  // Says what the proxies of all nodes have to look up anew; nothing while none of them runs (see `watches`).
  `create function tell_proxies() returns trigger language plpgsql set search_path = mortise, pg_temp as $$
    begin
      perform pg_notify('mortise_signals', 'proxying changed ' || old.id)
        where exists (select from watches where topic = 'proxying' and until > now());
      return null;
    end $$`,
  `create trigger tell_proxies after delete or update of config_id, connection_id on installations
    for each row execute function tell_proxies()`,
  `create trigger tell_proxies after delete or update of latest_revision_id, name on integrations
    for each row execute function tell_proxies()`,
]
