import { type Kysely, sql } from 'kysely'

/**
 * Roles below that of an owner. `role` stays `member` for all of them, because nodes of the release before know only
 * that and `owner`. Null, as they leave it, is the role `developer`: it has the rights that a member had.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['memberships', 'invites'])
    await sql`alter table ${sql.table(table)}
      add column member_role text check (member_role in ('viewer', 'operator', 'developer'))`.execute(db)
}
