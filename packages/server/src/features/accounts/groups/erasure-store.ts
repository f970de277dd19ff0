import { type Kysely, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'

/** What is still to be erased of a group or a consumer that is deleted. */
export interface Erasure {
  /** A UUIDv7 made when the deletion began: messages with lower ids were posted before it. */
  id: string
  kind: 'group' | 'consumer'
  ref: string
  installation_ids: string[]
  /** The last message that was looked at. */
  cursor: string | null
}

export async function insertErasure(
  tx: ProjectDb,
  { id, kind, ref, installation_ids }: Omit<Erasure, 'cursor'>,
): Promise<void> {
  await sql`
    insert into erasures (project_id, id, kind, ref, installation_ids)
    values (${tx.projectId}, ${id}, ${kind}, ${ref}, ${installation_ids}::uuid[])`.execute(tx.sql)
}

export async function findErasure(db: ProjectDb, id: string): Promise<Erasure | undefined> {
  const { rows } = await sql<Erasure>`
    select id, kind, ref, installation_ids, cursor from erasures
    where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
  return rows[0]
}

export async function updateErasureCursor(db: ProjectDb, id: string, cursor: string): Promise<void> {
  await sql`update erasures set cursor = ${cursor} where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}

export async function deleteErasure(db: ProjectDb, id: string): Promise<void> {
  await sql`delete from erasures where project_id = ${db.projectId} and id = ${id}`.execute(db.sql)
}

/** Erasures of all projects that no job has finished in a minute. */
export async function listOldErasures(system: Kysely<Tables>): Promise<{ projectId: string; erasureId: string }[]> {
  const { rows } = await sql<{ projectId: string; erasureId: string }>`
    select project_id as "projectId", id as "erasureId" from erasures
    where create_time < now() - interval '1 minute' order by id limit 100`.execute(system)
  return rows
}
