import { sql } from 'kysely'
import type { ProjectDb } from '../../kernel/db/index.ts'

export async function insertBackfills(
  tx: ProjectDb,
  installationId: string,
  runs: { objectName: string; operationId: string }[],
): Promise<void> {
  if (runs.length === 0) return
  await sql`
    insert into backfills (project_id, installation_id, object_name, operation_id)
    select ${tx.projectId}, ${installationId}, object_name, operation_id
      from unnest(${runs.map((run) => run.objectName)}::text[], ${runs.map((run) => run.operationId)}::uuid[]) as run (object_name, operation_id)
    on conflict (project_id, installation_id, object_name) do update
      set operation_id = excluded.operation_id, records_processed = 0, records_estimated = null, done_time = null,
          create_time = now(), update_time = null`.execute(tx.sql)
}

/** Keeps the figures of a backfill beyond its run. */
export async function endBackfill(tx: ProjectDb, operationId: string, records: number, done: boolean): Promise<void> {
  await sql`
    update backfills
       set records_processed = ${records}, update_time = now(), done_time = case when ${done} then now() end,
           records_estimated = coalesce((select records_estimated from read_runs
                                          where project_id = ${tx.projectId} and operation_id = ${operationId}), records_estimated)
     where project_id = ${tx.projectId} and operation_id = ${operationId}`.execute(tx.sql)
}

export interface BackfillRow {
  operationId: string
  recordsProcessed: number
  recordsEstimated: number | undefined
  createTime: Date
  updateTime: Date | undefined
}

/** The newest backfill of an object, with what its run has committed while it is under way. */
export async function findBackfill(
  db: ProjectDb,
  installationId: string,
  objectName: string,
): Promise<BackfillRow | undefined> {
  const { rows } = await sql<{
    operation_id: string
    records: number
    estimated: number | null
    create_time: Date
    update_time: Date | null
  }>`
    select backfill.operation_id, coalesce(run.records, backfill.records_processed) as records,
           coalesce(run.records_estimated, backfill.records_estimated) as estimated, backfill.create_time, backfill.update_time
      from backfills as backfill
      left join read_runs as run on run.project_id = backfill.project_id and run.operation_id = backfill.operation_id
     where backfill.project_id = ${db.projectId} and backfill.installation_id = ${installationId}
       and backfill.object_name = ${objectName}`.execute(db.sql)
  const row = rows[0]
  return (
    row && {
      operationId: row.operation_id,
      recordsProcessed: row.records,
      recordsEstimated: row.estimated ?? undefined,
      createTime: row.create_time,
      updateTime: row.update_time ?? undefined,
    }
  )
}

/** Whether the newest backfill of an object has ended well, is under way, or was given up. */
export type BackfillState = 'done' | 'running' | 'unfinished'

/** The backfills of an installation, by object. */
export async function listBackfillStates(db: ProjectDb, installationId: string): Promise<Map<string, BackfillState>> {
  const { rows } = await sql<{ object_name: string; state: BackfillState }>`
    select backfill.object_name,
           case when backfill.done_time is not null then 'done' when run.operation_id is not null then 'running'
                else 'unfinished' end as state
      from backfills as backfill
      left join read_runs as run on run.project_id = backfill.project_id and run.operation_id = backfill.operation_id
     where backfill.project_id = ${db.projectId} and backfill.installation_id = ${installationId}`.execute(db.sql)
  return new Map(rows.map((row) => [row.object_name, row.state]))
}
