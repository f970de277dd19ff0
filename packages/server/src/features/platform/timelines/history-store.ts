import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type IdRange, inRange } from './event-store.ts'

/** What the tables of other features know of the past. Each list is newest first, and reads what it may return. */

export interface ConfigEvent {
  id: string
  installationId: string
  version: number
  createdBy: string
  previousConfigId: string | null
}

/** Versions of configs: the first one is made when the integration is installed. */
export async function listConfigEvents(
  db: ProjectDb,
  installationIds: readonly string[],
  { limit, ...range }: IdRange & { limit: number },
): Promise<ConfigEvent[]> {
  const { rows } = await sql<ConfigEvent>`
    select f.id, f.installation_id as "installationId", f.version, f.created_by as "createdBy",
      (select p.id from configs p
        where p.project_id = f.project_id and p.installation_id = f.installation_id and p.version = f.version - 1)
        as "previousConfigId"
      from unnest(${installationIds}::uuid[]) as i (id)
     cross join lateral (
       select f.* from configs f
        where f.project_id = ${db.projectId} and f.installation_id = i.id ${inRange(sql`f.id`, range)}
        order by f.version desc limit ${limit}
     ) f
     order by f.id desc limit ${limit}`.execute(db.sql)
  return rows
}

export interface ConnectedEvent {
  id: string
  groupRef: string
  provider: string
}

/** Connections: the time of their id is when they were made. */
export async function listConnectedEvents(
  db: ProjectDb,
  connectionIds: readonly string[],
  { limit, ...range }: IdRange & { limit: number },
): Promise<ConnectedEvent[]> {
  const { rows } = await sql<ConnectedEvent>`
    select c.id, c.group_ref as "groupRef", c.provider from connections c
     where c.project_id = ${db.projectId} and c.id = any(${connectionIds}::uuid[]) ${inRange(sql`c.id`, range)}
     order by c.id desc limit ${limit}`.execute(db.sql)
  return rows
}

export interface SchemaEvent {
  id: string
  installationId: string
  objectName: string
  createdFields: number
  deletedFields: number
  changedFields: number
}

/** Changes of the fields of objects. */
export async function listSchemaEvents(
  db: ProjectDb,
  installationIds: readonly string[],
  { limit, ...range }: IdRange & { limit: number },
): Promise<SchemaEvent[]> {
  const { rows } = await sql<SchemaEvent>`
    select s.id, s.installation_id as "installationId", s.object_name as "objectName",
      json_array_length(s.created_fields) as "createdFields", json_array_length(s.deleted_fields) as "deletedFields",
      json_array_length(s.changed_fields) as "changedFields"
      from unnest(${installationIds}::uuid[]) as i (id)
     cross join lateral (
       select s.* from schema_changes s
        where s.project_id = ${db.projectId} and s.installation_id = i.id ${inRange(sql`s.id`, range)}
        order by s.id desc limit ${limit}
     ) s
     order by s.id desc limit ${limit}`.execute(db.sql)
  return rows
}
