import { type Kysely, sql } from 'kysely'
import type { NewId, ProjectDb, Tables } from '../../kernel/db/index.ts'
import type { ProjectRow } from './model.ts'

export async function getProjectRow(db: ProjectDb): Promise<ProjectRow> {
  return await db.sql.selectFrom('projects').selectAll().where('id', '=', db.projectId).executeTakeFirstOrThrow()
}

/**
 * The project of this name, made with its organisation where it is missing. The caller holds a lock that keeps a second node
 * from doing the same.
 *
 * @returns the id of the project
 */
export async function ensureProject(tx: Kysely<Tables>, name: string, newId: NewId): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with found as (select id from projects where name = ${name}),
    org as (
      insert into orgs (id, label) select ${newId()}::uuid, ${name} where not exists (select from found) returning id
    ),
    made as (
      insert into projects (id, org_id, name, app_name) select ${newId()}::uuid, org.id, ${name}, ${name} from org returning id
    )
    select id from found union all select id from made`.execute(tx)
  return rows[0]!.id
}
