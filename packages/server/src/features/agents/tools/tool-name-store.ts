import { sql } from 'kysely'
import { type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import type { GivenName } from './tool-names.ts'

/** Lists the names that tools of the project have ever been given. */
export async function listToolNames(db: ProjectDb): Promise<GivenName[]> {
  const { rows } = await sql<GivenName>`${prepared}
    select name, kind, integration_name as "integrationName", provider, object_name as "objectName", action
      from tool_names where project_id = ${db.projectId}`.execute(db.sql)
  return rows
}

/** Gives names to tools. A name that a tool has stays with it, also if another node gives it at the same time. */
export async function insertToolNames(db: ProjectDb, names: readonly GivenName[]): Promise<void> {
  // In one order, so that two nodes cannot wait for each other.
  const inOrder = names.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const column = (key: keyof GivenName) => inOrder.map((one) => one[key])
  await sql`
    insert into tool_names (project_id, name, kind, integration_name, provider, object_name, action)
    select ${db.projectId}, given.* from unnest(${column('name')}::text[], ${column('kind')}::text[],
      ${column('integrationName')}::text[], ${column('provider')}::text[], ${column('objectName')}::text[],
      ${column('action')}::text[]) as given
    on conflict (project_id, name) do nothing`.execute(db.sql)
}
