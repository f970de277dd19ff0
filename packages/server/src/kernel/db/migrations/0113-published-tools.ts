import { type Kysely, sql } from 'kysely'

/**
 * Publishes what nodes keep of the tools of a group: which integrations a project has, and what a group has installed.
 * Both change rarely, and several changes of one transaction are one notification.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create function publish_tools() returns trigger language plpgsql set search_path = mortise, pg_temp as $$
    begin
      perform pg_notify('mortise_tools', coalesce(new.project_id, old.project_id)::text);
      return null;
    end $$`,
  `create function publish_tools_of_group() returns trigger language plpgsql set search_path = mortise, pg_temp as $$
    declare
      project text := coalesce(new.project_id, old.project_id);
      group_ref text := coalesce(new.group_ref, old.group_ref);
    begin
      -- A notification has less than 8,000 bytes.
      perform pg_notify('mortise_tools', case when octet_length(group_ref) < 4000 then project || ' ' || group_ref else project end);
      return null;
    end $$`,
  `create trigger publish_tools after insert or delete or update of latest_revision_id, name on integrations
    for each row execute function publish_tools()`,
  `create trigger publish_tools after insert or delete or update of config_id, connection_id on installations
    for each row execute function publish_tools_of_group()`,
]
