import { type Selectable, sql } from 'kysely'
import { andIf, type ProjectDb, type Tables } from '../../../kernel/db/index.ts'
import type { PageBounds } from '../../../kernel/http/index.ts'

export type DestinationGroupRow = Selectable<Tables['destination_groups']>

/** By group. */
export async function listDestinationGroupRows(
  db: ProjectDb,
  destinationId: string,
  { after, limit }: PageBounds = {},
): Promise<DestinationGroupRow[]> {
  const { rows } = await sql<DestinationGroupRow>`
    select * from destination_groups
     where project_id = ${db.projectId} and destination_id = ${destinationId}
           ${andIf(after, (groupRef) => sql`group_ref > ${groupRef}`)}
     order by group_ref limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/** Creates or replaces the destination of a group. Writing the same name again changes nothing. */
export async function upsertDestinationGroup(
  tx: ProjectDb,
  { destinationId, groupRef, targetName }: { destinationId: string; groupRef: string; targetName: string },
): Promise<DestinationGroupRow> {
  const { rows } = await sql<DestinationGroupRow>`
    insert into destination_groups as g (project_id, destination_id, group_ref, target_name)
    values (${tx.projectId}, ${destinationId}, ${groupRef}, ${targetName})
    on conflict (project_id, destination_id, group_ref) do update
       set target_name = excluded.target_name,
           update_time = case when g.target_name = excluded.target_name then g.update_time else now() end
    returning *`.execute(tx.sql)
  const [row] = rows
  if (!row) throw new Error('the upsert returned no row')
  return row
}

/** Returns whether the group had a destination. */
export async function deleteDestinationGroupRow(
  db: ProjectDb,
  { destinationId, groupRef }: { destinationId: string; groupRef: string },
): Promise<boolean> {
  const { numDeletedRows } = await db.sql
    .deleteFrom('destination_groups')
    .where('project_id', '=', db.projectId)
    .where('destination_id', '=', destinationId)
    .where('group_ref', '=', groupRef)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Deletes the destinations of all groups and connections of a destination: it has another type now. */
export async function deleteGroupsOfDestination(tx: ProjectDb, destinationId: string): Promise<void> {
  await sql`
    with connections as (
      delete from destination_connections where project_id = ${tx.projectId} and destination_id = ${destinationId}
    )
    delete from destination_groups where project_id = ${tx.projectId} and destination_id = ${destinationId}`.execute(
    tx.sql,
  )
}

/** Deletes what destinations say of a group that is deleted. */
export async function eraseDestinationGroup(tx: ProjectDb, groupRef: string): Promise<void> {
  await tx.sql
    .deleteFrom('destination_groups')
    .where('project_id', '=', tx.projectId)
    .where('group_ref', '=', groupRef)
    .execute()
}
