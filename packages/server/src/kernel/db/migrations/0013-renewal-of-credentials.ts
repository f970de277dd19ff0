import { type Kysely, sql } from 'kysely'

/**
 * What the renewal of credentials knows of each: `renew_time`, when it was renewed; `renew_at`, when the background
 * renews it next (null: never); `retry_at`, not before when it may be tried again; `refused`, the error that it was
 * refused with. The last three belong to one generation of the credential.
 *
 * Every change that a node may have cached is told, whoever makes it: a trigger forgets nobody.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table connection_credentials
    add column renew_time timestamptz,
    add column renew_at timestamptz,
    add column retry_at timestamptz,
    add column renewal_failures integer not null default 0,
    add column refused text`,
  // Looking for what is due costs what is due, not what there is.
  `create index credentials_to_renew on connection_credentials (renew_at) where renew_at is not null`,
  // Whether an imported one can be renewed at all only its sealed content says: the first look at it finds out. Spread
  // over a day.
  `update connection_credentials k set renew_at = now() + random() * interval '24 hours'
    from connections c
    where c.project_id = k.project_id and c.id = k.connection_id and c.auth_scheme like 'oauth2/%'`,
  `create function tell_of_connection() returns trigger language plpgsql as $$
    begin
      perform pg_notify('mortise_connections', old.project_id || ' ' || (to_jsonb(old) ->> tg_argv[0]));
      return null;
    end $$`,
  `create trigger tell_of_connection after update or delete on connections
    for each row execute function tell_of_connection('id')`,
  // Not of `renew_at`: a claim changes nothing that anybody keeps.
  `create trigger tell_of_connection after delete or update of sealed, generation, retry_at, refused on connection_credentials
    for each row execute function tell_of_connection('connection_id')`,
]
