import { type Kysely, sql } from 'kysely'

/**
 * When the next notice about new dead letters of a destination is due, and when the last one was sent. Nodes of the
 * release before write neither, so dead letters that they make are noticed with the next one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table destinations
      add column dead_letters_due_at timestamptz,
      add column dead_letters_noticed_at timestamptz`.execute(db)
  await sql`
    create index destinations_dead_letters_due on destinations (dead_letters_due_at)
     where dead_letters_due_at is not null`.execute(db)
}
