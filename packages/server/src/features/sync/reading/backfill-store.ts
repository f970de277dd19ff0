import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'

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
          create_time = now(), update_time = null, error = null, since = null, until = null, page = null, pages = null`.execute(
    tx.sql,
  )
}

/**
 * Keeps the figures of a backfill beyond its run, and of one that could not end why and where it stood: call it before
 * the run is deleted.
 *
 * @param end.error why it could not end; absent for one that ended, or that nobody wants any more
 * @param end.keepsPage whether it can be run again from the last committed page
 */
export async function endBackfill(
  tx: ProjectDb,
  operationId: string,
  end: { records: number; done: boolean; error: string | undefined; keepsPage: boolean },
): Promise<void> {
  const { records, done, error = null, keepsPage } = end
  await sql`
    update backfills as backfill
       set records_processed = ${records}, update_time = now(), done_time = case when ${done} then now() end, error = ${error},
           records_estimated = coalesce(run.records_estimated, backfill.records_estimated),
           since = run.since, until = run.until, page = case when ${keepsPage && !done} then run.page end, pages = run.pages
      from backfills as ended
      left join read_runs as run on run.project_id = ended.project_id and run.operation_id = ended.operation_id
     where ended.project_id = ${tx.projectId} and ended.operation_id = ${operationId}
       and backfill.project_id = ended.project_id and backfill.installation_id = ended.installation_id
       and backfill.object_name = ended.object_name`.execute(tx.sql)
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

/** Where a backfill stood that was given up. */
export interface UnfinishedBackfill {
  since: Date | null
  until: Date
  page: string
  pages: number
  records: number
}

/**
 * The backfills of an installation, by object; those that were given up behind a committed page with where they stood.
 */
export async function listBackfillStates(
  db: ProjectDb,
  installationId: string,
): Promise<Map<string, { state: BackfillState; operationId: string; resume: UnfinishedBackfill | undefined }>> {
  const { rows } = await sql<{
    object_name: string
    operation_id: string
    state: BackfillState
    since: Date | null
    until: Date | null
    page: string | null
    pages: number | null
    records: number
  }>`
    select backfill.object_name, backfill.operation_id, backfill.since, backfill.until, backfill.page, backfill.pages,
           backfill.records_processed as records,
           case when backfill.done_time is not null then 'done' when run.operation_id is not null then 'running'
                else 'unfinished' end as state
      from backfills as backfill
      left join read_runs as run on run.project_id = backfill.project_id and run.operation_id = backfill.operation_id
     where backfill.project_id = ${db.projectId} and backfill.installation_id = ${installationId}`.execute(db.sql)
  return new Map(
    rows.map(({ object_name, operation_id, state, since, until, page, pages, records }) => {
      const resume =
        state === 'unfinished' && page !== null && until !== null
          ? { since, until, page, pages: pages ?? 0, records }
          : undefined
      return [object_name, { state, operationId: operation_id, resume }]
    }),
  )
}
