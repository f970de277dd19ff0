import { type Selectable, sql } from 'kysely'
import { andIf, type ProjectDb, type Tables } from '../../../kernel/db/index.ts'
import type { PageBounds } from '../../../kernel/http/index.ts'

export type DestinationConnectionRow = Selectable<Tables['destination_connections']> & {
  group_ref: string
  provider: string
}

/** By connection. */
export async function listDestinationConnectionRows(
  db: ProjectDb,
  destinationId: string,
  { after, limit }: PageBounds = {},
): Promise<DestinationConnectionRow[]> {
  const { rows } = await sql<DestinationConnectionRow>`
    select d.*, c.group_ref, c.provider
      from destination_connections d
      join connections c on c.project_id = d.project_id and c.id = d.connection_id
     where d.project_id = ${db.projectId} and d.destination_id = ${destinationId}
           ${andIf(after, (id) => sql`d.connection_id > ${id}`)}
     order by d.connection_id limit ${limit ?? null}`.execute(db.sql)
  return rows
}

/**
 * Creates or replaces the destination of a connection. Writing the same name again changes nothing. Returns undefined
 * if there is no such connection.
 */
export async function upsertDestinationConnection(
  tx: ProjectDb,
  { destinationId, connectionId, targetName }: { destinationId: string; connectionId: string; targetName: string },
): Promise<DestinationConnectionRow | undefined> {
  const { rows } = await sql<DestinationConnectionRow>`
    with connection as (
      select id, group_ref, provider from connections
       where project_id = ${tx.projectId} and id = ${connectionId} for key share
    ), set as (
      insert into destination_connections as d (project_id, destination_id, connection_id, target_name)
      select ${tx.projectId}, ${destinationId}, id, ${targetName} from connection
      on conflict (project_id, destination_id, connection_id) do update
         set target_name = excluded.target_name,
             update_time = case when d.target_name = excluded.target_name then d.update_time else now() end
      returning *
    )
    select set.*, connection.group_ref, connection.provider from set, connection`.execute(tx.sql)
  return rows[0]
}

/** Returns whether the connection had a destination. */
export async function deleteDestinationConnectionRow(
  db: ProjectDb,
  { destinationId, connectionId }: { destinationId: string; connectionId: string },
): Promise<boolean> {
  const { numDeletedRows } = await db.sql
    .deleteFrom('destination_connections')
    .where('project_id', '=', db.projectId)
    .where('destination_id', '=', destinationId)
    .where('connection_id', '=', connectionId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
