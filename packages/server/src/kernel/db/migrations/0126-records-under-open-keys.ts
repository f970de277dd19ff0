import { type Kysely, sql } from 'kysely'

/**
 * Refuses records under a retired key once for each statement. The trigger for each row took a quarter of the time that
 * PostgreSQL needs to store one. No node of the release before stores records.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'drop trigger refuse_closed_key_of_encrypted_content on records',
  `create function refuse_closed_encryption_keys() returns trigger language plpgsql as $$
    begin
      if exists (select from mortise.encryption_keys
                  where state in ('closing', 'retired')
                    and key_id in (select split_part(left(encrypted_content, 12), '.', 2) from written))
         and coalesce(current_setting('mortise.restoring', true), '') <> 'on' then
        raise exception 'The value for %.% is encrypted under a retired key. Restart this node with the present encryption key.',
          tg_table_name, tg_argv[0];
      end if;
      return null;
    end $$`,
  ...['insert', 'update'].map(
    (change) => `create trigger refuse_closed_keys_after_${change} after ${change} on records
      referencing new table as written for each statement
      execute function refuse_closed_encryption_keys('encrypted_content')`,
  ),
]
