import { type Kysely, sql } from 'kysely'

/**
 * A destination can receive the messages of a sequence in order: those of one object of an installation. The index has
 * the messages that wait, one sequence after the other, and `waiting_in_sequences` reads it. Messages without an
 * installation or an object have sequences too, so no part of one is null.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create index messages_sequences on messages
        (destination_id, (coalesce(installation_id, '00000000-0000-0000-0000-000000000000'::uuid)), (coalesce(object_name, ' ')), id)
        where state = 'pending' and destination_id is not null`,
    )
    .execute(db)
}
