import { type Kysely, sql } from 'kysely'

/** People also approve calls of tools that a builder declares: their action is `call`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table approvals
      drop constraint approvals_action_check,
      add constraint approvals_action_check check (action in ('create', 'update', 'delete', 'call'))`.execute(db)
}
