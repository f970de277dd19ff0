import { type Kysely, sql } from 'kysely'

/**
 * Runs before each write of an encrypted value. PostgreSQL parses and plans a function in SQL again in each statement,
 * which took 0.1 ms, as long as the rest of a small INSERT. It keeps the plan of one in PL/pgSQL.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function encryption_key_closed(value text) returns boolean language plpgsql stable as $$
      begin
        return value is not null
          and exists (select from mortise.encryption_keys
                       where key_id = split_part(left(value, 12), '.', 2) and state in ('closing', 'retired'))
          and coalesce(current_setting('mortise.restoring', true), '') <> 'on';
      end $$`.execute(db)
}
