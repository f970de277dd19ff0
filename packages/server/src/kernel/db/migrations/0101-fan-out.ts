import { type Kysely, sql } from 'kysely'

/**
 * Names the destinations that get what is posted to a destination of type `fan-out`. Nodes of the release before leave
 * its messages to it, and a node of this release gives them to those destinations.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table destinations add column members text[]`.execute(db)
}
