import { type Kysely, sql } from 'kysely'
import { type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'

export interface JwtKeyRow {
  project_id: string
  id: string
  label: string
  public_key_pem: string
  active: boolean
  create_time: Date
  update_time: Date
}

export interface JwtKeyOwner {
  label: string
  publicKeyPem: string
  projectId: string
  projectName: string
  orgId: string
}

/**
 * Finds an active key by its id, with its project. It reads across projects, because the key determines the project.
 */
export async function findActiveJwtKey(system: Kysely<Tables>, id: string): Promise<JwtKeyOwner | undefined> {
  const { rows } = await sql<JwtKeyOwner>`
    select key.label, key.public_key_pem as "publicKeyPem",
           project.id as "projectId", project.name as "projectName", project.org_id as "orgId"
      from jwt_keys key join projects project on project.id = key.project_id
     where key.id = ${id} and key.active`.execute(system)
  return rows[0]
}

/**
 * Adds a key unless the project has `most` keys already; returns whether it did. Two concurrent calls may exceed the
 * limit by one, which is enough to bound a list.
 */
export async function insertJwtKey(
  db: ProjectDb,
  key: { id: string; label: string; publicKeyPem: string; createdBy: string },
  most: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into jwt_keys (project_id, id, label, public_key_pem, created_by)
    select ${db.projectId}, ${key.id}, ${key.label}, ${key.publicKeyPem}, ${key.createdBy}
     where (select count(*) from jwt_keys where project_id = ${db.projectId}) < ${most}
    returning id`.execute(db.sql)
  return rows.length > 0
}

/** Lists the keys, oldest first: ids are ordered by time. */
export async function listJwtKeyRows(db: ProjectDb, { active }: { active: boolean }): Promise<JwtKeyRow[]> {
  const { rows } = await sql<JwtKeyRow>`${prepared}
    select * from jwt_keys where project_id = ${db.projectId} ${active ? sql`and active` : sql``} order by id`.execute(
    db.sql,
  )
  return rows
}

export async function findJwtKey(db: ProjectDb, id: string): Promise<JwtKeyRow | undefined> {
  const { rows } = await sql<JwtKeyRow>`${prepared}
    select * from jwt_keys where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0]
}

/** Changes the defined values. Returns the updated key; undefined if it does not exist. */
export async function updateJwtKeyRow(
  db: ProjectDb,
  id: string,
  { label, active }: { label?: string | undefined; active?: boolean | undefined },
): Promise<JwtKeyRow | undefined> {
  return await db.sql
    .updateTable('jwt_keys')
    .set({
      ...(label !== undefined && { label }),
      ...(active !== undefined && { active }),
      update_time: sql<Date>`now()`,
    })
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
}

/** Deletes a key; returns whether it existed. */
export async function deleteJwtKeyRow(db: ProjectDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.sql
    .deleteFrom('jwt_keys')
    .where('project_id', '=', db.projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
