import { sql } from 'kysely'
import type { Database, ProjectDb } from '../../../../kernel/db/index.ts'

/** An object whose pages are held. */
export interface BufferedObject {
  installationId: string
  objectName: string
}

/** One message that waits until it is asked for. */
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
 * Adds to how many pages are wanted, and holds that number until the transaction ends: of those who bring pages, ask
 * for pages and release them, each sees what the one before has done. Answers the number.
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
 * How many pages are wanted, held as by `addToWanted`; undefined when none was ever held or asked for, or the
 * installation is gone.
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

/** Takes the oldest pages out, oldest first. */
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

/** Objects with pages from before a time, across projects: of the oldest `limit` pages. */
export async function listObjectsHeldBefore(
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

/** Deletes pages of an object from before a time, oldest first; answers how many. */
export async function deletePagesHeldBefore(
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

/** Ends the account of an object that is no longer delivered on request. */
export async function deletePageRequest(tx: ProjectDb, { installationId, objectName }: BufferedObject): Promise<void> {
  await tx.sql
    .deleteFrom('page_requests')
    .where('project_id', '=', tx.projectId)
    .where('installation_id', '=', installationId)
    .where('object_name', '=', objectName)
    .execute()
}

/** Objects of an installation of which pages were held or asked for. */
export async function listBufferedObjects(tx: ProjectDb, installationId: string): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('page_requests')
    .select('object_name')
    .where('project_id', '=', tx.projectId)
    .where('installation_id', '=', installationId)
    .execute()
  return rows.map((row) => row.object_name)
}
