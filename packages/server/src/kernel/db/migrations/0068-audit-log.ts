import { type Kysely, sql } from 'kysely'

/**
 * Adds the audit log. `project_id` names the log that an entry belongs to: a project, an organization, or the service
 * itself (`serviceLog` of `kernel/http`). Row-level security therefore separates organizations too. The time of an
 * entry is in its id, a UUIDv7.
 *
 * Entries wait in `audit_unsealed` until a tick seals them. Seals form a hash chain, which stays when entries are
 * deleted after their retention.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table audit_entries (
    project_id uuid not null,
    id uuid not null,
    actor_kind text not null,
    actor_id text,
    actor_name text,
    action text not null,
    verb text not null,
    outcome text not null,
    resource_kind text not null,
    resource_id text,
    address text,
    user_agent text,
    request_id text,
    old_value json,
    new_value json,
    primary key (project_id, id)
  )`,
  `select protect('audit_entries')`,
  `create index audit_entries_of_actor on audit_entries (project_id, actor_id, id)`,
  `create index audit_entries_of_action on audit_entries (project_id, action, id)`,
  `create index audit_entries_of_resource on audit_entries (project_id, resource_kind, resource_id, id)`,
  // Entries arrive in the order of their ids, so a few pages find the ones past retention.
  `create index audit_entries_by_age on audit_entries using brin (id)`,
  `create table audit_unsealed (
    project_id uuid not null,
    entry_id uuid not null,
    primary key (project_id, entry_id)
  )`,
  `select protect('audit_unsealed')`,
  `create table audit_seals (
    project_id uuid not null,
    number bigint not null,
    first_sequence bigint not null,
    entry_ids uuid[] not null,
    entry_hashes bytea not null,
    first_id uuid not null,
    last_id uuid not null,
    previous_hash bytea not null,
    hash bytea not null,
    primary key (project_id, number)
  )`,
  `select protect('audit_seals')`,
  `create index audit_seals_by_entry on audit_seals (project_id, last_id)`,
  // The only way to delete an entry. It refuses entries of the last 90 days, whatever the caller says.
  `create function delete_old_audit_entries(before date, most integer) returns integer
    language plpgsql security definer set search_path = mortise, pg_temp as $$
    declare deleted integer;
    begin
      if before > current_date - 90 then raise exception 'audit entries are kept for at least 90 days'; end if;
      delete from audit_entries entry
        using (select project_id, id from audit_entries where id < day_floor(before) limit most) old
        where entry.project_id = old.project_id and entry.id = old.id;
      get diagnostics deleted = row_count;
      return deleted;
    end $$`,
  'revoke execute on function delete_old_audit_entries(date, integer) from public',
]
