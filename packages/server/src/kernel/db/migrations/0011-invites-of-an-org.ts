import { type Kysely, sql } from 'kysely'

/** The list of an organisation's invites reads those alone, newest first, whatever others have. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index invites_of_org on invites (org_id, id)`.execute(db)
}
