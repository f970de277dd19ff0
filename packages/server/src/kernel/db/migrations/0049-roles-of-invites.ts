import { type Kysely, sql } from 'kysely'

/** An invite names the role that the person gets. The release before invites members, and ignores the role. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table invites
    add column role text not null default 'member' check (role in ('member', 'owner'))`.execute(db)
}
