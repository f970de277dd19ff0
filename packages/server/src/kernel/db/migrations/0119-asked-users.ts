import { type Kysely, sql } from 'kysely'

/**
 * Calls that the user of an MCP client confirms are requests for approval, too. `answer_hash` is a digest of the secret
 * that an answer has to name.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table approvals
      add column decider text not null default 'person' check (decider in ('person', 'user')),
      add column answer_hash bytea`.execute(db)
}
