import { type Kysely, sql } from 'kysely'
import { type ProjectDb, prepared, type Tables } from '../../../kernel/db/index.ts'

export interface ApiKeyOwner {
  label: string
  keyId: string
  hash: Buffer
  scopes: string[]
  createdBy: string
  projectId: string
  projectName: string
  orgId: string
}

/**
 * The active key that one of these hashes belongs to, with its project. Reaches across projects: it finds the project.
 */
export async function findActiveKey(
  system: Kysely<Tables>,
  hashes: readonly Buffer[],
): Promise<ApiKeyOwner | undefined> {
  const { rows } = await sql<ApiKeyOwner>`${prepared}
    select key.id as "keyId", key.label, key.hash, key.scopes, key.created_by as "createdBy",
           project.id as "projectId", project.name as "projectName", project.org_id as "orgId"
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
  encrypted: string
  hint: string
  created_by: string
}

/**
 * Whether a key is known, in whatever project and state. No constraint keeps a hash unique, because generated keys are
 * random.
 */
export async function isKnownKey(system: Kysely<Tables>, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`select from api_keys where hash = ${hash} limit 1`.execute(system)
  return rows.length > 0
}

export async function insertApiKey(tx: Kysely<Tables>, key: NewApiKey): Promise<void> {
  await tx.insertInto('api_keys').values(key).execute()
}

export interface ApiKeyRow extends NewApiKey {
  active: boolean
  create_time: Date
  update_time: Date | null
}

/** Oldest first: ids are ordered by time. */
export async function listApiKeyRows(db: ProjectDb, { active }: { active: boolean }): Promise<ApiKeyRow[]> {
  const { rows } = await sql<ApiKeyRow>`${prepared}
    select * from api_keys where project_id = ${db.projectId} ${active ? sql`and active` : sql``} order by id`.execute(
    db.sql,
  )
  return rows
}

export async function countApiKeys(db: ProjectDb): Promise<number> {
  const { rows } = await sql<{ keys: number }>`
    select count(*)::int as keys from api_keys where project_id = ${db.projectId}`.execute(db.sql)
  return rows[0]?.keys ?? 0
}

/** What names a key: its id, or what is stored of the key itself. */
export type ApiKeyName = { id: string } | { hashes: readonly Buffer[] }

const named = (name: ApiKeyName) =>
  'id' in name ? sql<boolean>`id = ${name.id}` : sql<boolean>`hash = any(${name.hashes})`

export async function findApiKey(db: ProjectDb, name: ApiKeyName): Promise<ApiKeyRow | undefined> {
  const { rows } = await sql<ApiKeyRow>`${prepared}
    select * from api_keys where project_id = ${db.projectId} and ${named(name)}`.execute(db.sql)
  return rows[0]
}

export interface ApiKeyValues {
  label?: string | undefined
  active?: boolean | undefined
  scopes?: string[] | undefined
}

/** Changes what has a value. Answers the key as it is now; undefined when there is none. */
export async function updateApiKeyRow(
  db: ProjectDb,
  name: ApiKeyName,
  { label, active, scopes }: ApiKeyValues,
): Promise<ApiKeyRow | undefined> {
  return await db.sql
    .updateTable('api_keys')
    .set({
      ...(label !== undefined && { label }),
      ...(active !== undefined && { active }),
      ...(scopes !== undefined && { scopes }),
      update_time: sql<Date>`now()`,
    })
    .where('project_id', '=', db.projectId)
    .where(named(name))
    .returningAll()
    .executeTakeFirst()
}

/** Answers whether there was one. */
export async function deleteApiKeyRow(db: ProjectDb, name: ApiKeyName): Promise<boolean> {
  const { numDeletedRows } = await db.sql
    .deleteFrom('api_keys')
    .where('project_id', '=', db.projectId)
    .where(named(name))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
