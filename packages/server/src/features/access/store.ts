import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../kernel/db/index.ts'

export interface ApiKeyOwner {
  keyId: string
  hash: Buffer
  scopes: string[]
  createdBy: string
  projectId: string
  projectName: string
}

/** The active key that one of these hashes belongs to, with its project. Reaches across projects: it finds the project. */
export async function findActiveKey(
  system: Kysely<Tables>,
  hashes: readonly Buffer[],
): Promise<ApiKeyOwner | undefined> {
  const { rows } = await sql<ApiKeyOwner>`
    select key.id as "keyId", key.hash, key.scopes, key.created_by as "createdBy",
           project.id as "projectId", project.name as "projectName"
      from api_keys key join projects project on project.id = key.project_id
     where key.hash = any(${hashes}) and key.active`.execute(system)
  return rows[0]
}

/** Whether the project has a key, active or not. */
export async function hasApiKey(tx: Kysely<Tables>, projectId: string): Promise<boolean> {
  const { rows } = await sql`select from api_keys where project_id = ${projectId} limit 1`.execute(tx)
  return rows.length > 0
}

export interface NewApiKey {
  project_id: string
  id: string
  label: string
  scopes: string[]
  hash: Buffer
  sealed: string
  hint: string
  created_by: string
}

/** Adds a key; one that is known already, in whatever project and state, stays as it is. Answers whether it was added. */
export async function insertApiKey(tx: Kysely<Tables>, key: NewApiKey): Promise<boolean> {
  const row = await tx
    .insertInto('api_keys')
    .values(key)
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
