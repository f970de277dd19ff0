import { type Kysely, sql } from 'kysely'

/**
 * Which operation an installation shows the status of: without it, two operations that begin and end at once cannot
 * tell which is newer.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table installations add column last_operation_id uuid`,
  `update installations i set (last_operation_id, last_operation_status) =
    (select o.id, o.status from operations o
      where o.project_id = i.project_id and o.installation_id = i.id order by o.id desc limit 1)
    where last_operation_status is not null
      and exists (select from operations o where o.project_id = i.project_id and o.installation_id = i.id)`,
]
