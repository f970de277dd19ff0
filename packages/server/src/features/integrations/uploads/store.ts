import { sql } from 'kysely'
import { type Database, isId, type ProjectDb } from '../../../kernel/db/index.ts'
import { uploadMinutes, uploadsOpenMax } from './model.ts'

/**
 * Inserts an upload, unless the project has too many open ones. Two concurrent requests may exceed the limit by one,
 * which is acceptable: the limit only bounds space.
 */
export async function insertUpload(db: ProjectDb, id: string, md5: string | undefined): Promise<boolean> {
  const { rows } = await sql`
    insert into uploads (project_id, id, md5, expire_time)
    select ${db.projectId}, ${id}, ${md5 ?? null}, now() + make_interval(mins => ${uploadMinutes})
     where (select count(*) from uploads where project_id = ${db.projectId} and expire_time > now()) < ${uploadsOpenMax}
    returning id`.execute(db.sql)
  return rows.length > 0
}

/** Returns the announced checksum of an upload that can still be written. */
export async function findOpenUpload(db: ProjectDb, id: string): Promise<{ md5: string | null } | undefined> {
  return await db.sql
    .selectFrom('uploads')
    .select('md5')
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .where('expire_time', '>', sql<Date>`now()`)
    .executeTakeFirst()
}

/** Stores the body of an upload. Returns whether it could still be written. */
export async function updateUploadBody(db: ProjectDb, id: string, body: Buffer): Promise<boolean> {
  const { numUpdatedRows } = await db.sql
    .updateTable('uploads')
    .set({ body })
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .where('expire_time', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns the body of an upload. Undefined when it is unknown in this project, empty, used or expired. */
export async function findUploadBody(db: ProjectDb, id: string): Promise<Buffer | undefined> {
  if (!isId(id)) return undefined
  const row = await db.sql
    .selectFrom('uploads')
    .select('body')
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .where('expire_time', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row?.body ?? undefined
}

/** Deletes a used upload. */
export async function deleteUpload(tx: ProjectDb, id: string): Promise<void> {
  await tx.sql.deleteFrom('uploads').where('project_id', '=', tx.projectId).where('id', '=', id).execute()
}

/** Deletes expired uploads of all projects. Cheap when there are none; call it every minute or so. */
export async function deleteExpiredUploads(database: Pick<Database, 'system'>): Promise<{ deleted: number }> {
  const { numDeletedRows } = await database.system
    .deleteFrom('uploads')
    .where('expire_time', '<=', sql<Date>`now()`)
    .executeTakeFirst()
  return { deleted: Number(numDeletedRows) }
}
