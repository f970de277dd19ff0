import { type Kysely, sql } from 'kysely'

/**
 * Messages of one installation no longer delay those of others at the same destination. `order_at` sorts the messages
 * that were not attempted yet, apart from those that are tried again. Nodes of the release before insert messages
 * without it, and they get the time of their creation.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'alter table messages add column order_at timestamptz not null default now()',
  `create index messages_new on messages (destination_id, order_at)
    where state = 'pending' and attempt = 0 and destination_id is not null`,
  `create index messages_again on messages (destination_id, next_attempt_at)
    where state = 'pending' and attempt > 0 and destination_id is not null`,
]
