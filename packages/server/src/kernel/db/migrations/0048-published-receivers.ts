import { type Kysely, sql } from 'kysely'

/** What changes who receives events of providers, and the column that names the installation: else all of a project. */
const receivers: { table: string; change: string; id?: string; when?: string }[] = [
  // Not of `encrypted_secret`: a rotation of encryption keys changes no secret.
  { table: 'registrations', change: 'insert or delete or update of provider_id', id: 'installation_id' },
  { table: 'subscriptions', change: 'insert or delete', id: 'installation_id' },
  {
    table: 'installations',
    change: 'update of connection_id',
    id: 'id',
    when: 'old.connection_id is distinct from new.connection_id',
  },
  {
    table: 'connections',
    change: 'update of provider_metadata, provider_app_id',
    when: '(old.provider_metadata, old.provider_app_id) is distinct from (new.provider_metadata, new.provider_app_id)',
  },
  { table: 'provider_apps', change: 'insert or delete or update of update_time, metadata' },
  { table: 'integrations', change: 'insert or delete' },
]

const statements = [
  `create function publish_receivers() returns trigger language plpgsql set search_path = mortise, pg_temp as $$
    declare changed jsonb := case tg_op when 'INSERT' then to_jsonb(new) else to_jsonb(old) end;
    begin
      perform pg_notify('mortise_receivers', concat_ws(' ', changed ->> 'project_id', changed ->> tg_argv[0]));
      return null;
    end $$`,
  ...receivers.map(
    ({ table, change, id, when }) =>
      `create trigger publish_receivers after ${change} on ${table} for each row
        ${when ? `when (${when})` : ''} execute function publish_receivers(${id ? `'${id}'` : ''})`,
  ),
  `create trigger publish_renamed_receivers after update of name, provider on integrations for each row
    when ((old.name, old.provider) is distinct from (new.name, new.provider)) execute function publish_receivers()`,
  `create function publish_signing_keys() returns trigger language plpgsql set search_path = mortise, pg_temp as $$
    begin
      perform pg_notify('mortise_signing_keys', '');
      return null;
    end $$`,
  `create trigger publish_signing_keys after insert or delete or update of active on signing_keys
    for each statement execute function publish_signing_keys()`,
]

/** Publishes changes of what nodes keep of receivers of events, and of the keys that sign tokens of builders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
