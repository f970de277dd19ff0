import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

/** Deletes some operations of installations with their logs. Returns whether there may be more. */
export async function eraseOperations(db: ProjectDb, installationIds: string[], limit: number): Promise<boolean> {
  const { rows } = await sql<{ seen: number }>`
    with erased as materialized (
      select id from operations where project_id = ${db.projectId} and installation_id = any(${installationIds}::uuid[])
       limit ${limit}
    ), gone as (
      delete from operations where project_id = ${db.projectId} and id in (select id from erased)
    ), gone_logs as (
      delete from operation_logs where project_id = ${db.projectId} and operation_id in (select id from erased)
    )
    select count(*)::int as seen from erased`.execute(db.sql)
  return rows[0]?.seen === limit
}
