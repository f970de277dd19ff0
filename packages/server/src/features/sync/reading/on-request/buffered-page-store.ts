import { sql } from 'kysely'
import type { Database, ProjectDb } from '../../../../kernel/db/index.ts'

/** An object whose pages are buffered. */
export interface BufferedObject {
  installationId: string
  objectName: string
}

/** A message that waits until it is requested. */
export interface BufferedPage {
  id: string
  operationId: string
  destinationName: string
  payload: Buffer
  result?: Buffer
}

export async function insertBufferedPages(
  tx: ProjectDb,
  { installationId, objectName }: BufferedObject,
  pages: readonly BufferedPage[],
): Promise<void> {
  await tx.sql
    .insertInto('buffered_pages')
    .values(
      pages.map(({ id, operationId, destinationName, payload, result }) => ({
        project_id: tx.projectId,
        installation_id: installationId,
        object_name: objectName,
        id,
        operation_id: operationId,
        destination_name: destinationName,
        payload,
        result: result ?? null,
      })),
    )
    .execute()
}

/**
 * Adds to the number of requested pages and returns the new number. Locks the row until the transaction ends, so that
 * callers that add, request and release pages see each other's changes.
 */
export async function addToWanted(
  tx: ProjectDb,
  { installationId, objectName }: BufferedObject,
  more: number,
): Promise<number> {
  const { rows } = await sql<{ wanted: string }>`
    insert into page_requests as r (project_id, installation_id, object_name, wanted)
    values (${tx.projectId}, ${installationId}, ${objectName}, ${more})
    on conflict (project_id, installation_id, object_name) do update set wanted = r.wanted + excluded.wanted
    returning wanted`.execute(tx.sql)
  return Number(rows[0]?.wanted ?? 0)
}

/**
 * Returns the number of requested pages and locks it as `addToWanted` does. Undefined when no page was ever buffered or
 * requested, or the installation is deleted.
 */
export async function lockWanted(
  tx: ProjectDb,
  { installationId, objectName }: BufferedObject,
): Promise<number | undefined> {
  const { rows } = await sql<{ wanted: string }>`
    select wanted from page_requests
     where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}
       for update`.execute(tx.sql)
  return rows[0] && Number(rows[0].wanted)
}

/** Deletes the oldest pages and returns them, oldest first. */
export async function takeBufferedPages(
  tx: ProjectDb,
  { installationId, objectName }: BufferedObject,
  limit: number,
): Promise<BufferedPage[]> {
  const { rows } = await sql<{
    id: string
    operation_id: string
    destination_name: string
    payload: Buffer
    result: Buffer | null
  }>`
    with taken as (
      delete from buffered_pages
       where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}
         and id = any(array(select id from buffered_pages
                             where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}
                             order by id limit ${limit}))
      returning id, operation_id, destination_name, payload, result
    ) select * from taken order by id`.execute(tx.sql)
  return rows.map((row) => ({
    id: row.id,
    operationId: row.operation_id,
    destinationName: row.destination_name,
    payload: row.payload,
    ...(row.result && { result: row.result }),
  }))
}

/** Lists objects with pages from before a time, across projects: those of the oldest `limit` pages. */
export async function listObjectsBufferedBefore(
  system: Database['system'],
  before: Date,
  limit: number,
): Promise<(BufferedObject & { projectId: string })[]> {
  const { rows } = await sql<BufferedObject & { projectId: string }>`
    select distinct project_id as "projectId", installation_id as "installationId", object_name as "objectName"
    from (select project_id, installation_id, object_name from buffered_pages
           where create_time < ${before} order by create_time limit ${limit}) old`.execute(system)
  return rows
}

/** Deletes pages of an object from before a time, oldest first. Returns how many. */
export async function deletePagesBufferedBefore(
  tx: ProjectDb,
  { installationId, objectName }: BufferedObject,
  before: Date,
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    delete from buffered_pages
     where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}
       and id = any(array(select id from buffered_pages
                           where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}
                             and create_time < ${before}
                           order by id limit ${limit}))
    returning 1`.execute(tx.sql)
  return rows.length
}

/** Deletes the request count of an object that is no longer delivered on request. */
export async function deletePageRequest(tx: ProjectDb, { installationId, objectName }: BufferedObject): Promise<void> {
  await tx.sql
    .deleteFrom('page_requests')
    .where('project_id', '=', tx.projectId)
    .where('installation_id', '=', installationId)
    .where('object_name', '=', objectName)
    .execute()
}

/** Lists the objects of an installation that have buffered or requested pages. */
export async function listBufferedObjects(tx: ProjectDb, installationId: string): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('page_requests')
    .select('object_name')
    .where('project_id', '=', tx.projectId)
    .where('installation_id', '=', installationId)
    .execute()
  return rows.map((row) => row.object_name)
}
