import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { ReadKind, ReadRun } from './model.ts'

export interface NewRun {
  operationId: string
  objectName: string
  kind: ReadKind
  since: Date | null
  until: Date | null
  /** Where it continues, and what was read up to there; from the beginning when absent. */
  page?: string
  pages?: number
  records?: number
}

export async function insertRuns(tx: ProjectDb, installationId: string, runs: NewRun[]): Promise<void> {
  if (runs.length === 0) return
  await tx.sql
    .insertInto('read_runs')
    .values(
      runs.map((run) => ({
        project_id: tx.projectId,
        operation_id: run.operationId,
        installation_id: installationId,
        object_name: run.objectName,
        kind: run.kind,
        since: run.since,
        until: run.until,
        ...(run.page !== undefined && { page: run.page, pages: run.pages ?? 0, records: run.records ?? 0 }),
      })),
    )
    .execute()
}

/**
 * Takes the oldest run of an object that is due (one that waits after an error lets others pass), under a new fence:
 * whoever held it before can no longer commit a page. A scheduled run gets its window now: from the mark of the object
 * to this moment, less what may still become visible.
 */
export async function takeRun(
  db: ProjectDb,
  installationId: string,
  objectName: string,
  fence: string,
  settleMs: number,
): Promise<ReadRun | undefined> {
  const { rows } = await sql<RunRow>`
    update read_runs as run
       set fence = ${fence}, lease_until = now() + interval '15 s',
           since = case when run.kind = 'scheduled' and run.until is null then state.high_water_mark else run.since end,
           until = case when run.kind = 'scheduled' and run.until is null
                        then greatest(now() - ${settleMs} * interval '1 ms', state.high_water_mark) else run.until end
      from read_runs as mine
      left join read_states as state using (project_id, installation_id, object_name)
     where run.project_id = mine.project_id and run.operation_id = mine.operation_id
       and mine.operation_id = (
         select operation_id from read_runs
          where project_id = ${db.projectId} and installation_id = ${installationId} and object_name = ${objectName}
            and next_attempt_at <= now()
          order by create_time, operation_id limit 1)
       and mine.project_id = ${db.projectId}
    returning run.operation_id, run.kind, run.since, run.until, run.page, run.pages, run.records, run.attempt,
              run.first_error_at, run.create_time`.execute(db.sql)
  const row = rows[0]
  return row && toRun(row)
}

interface RunRow {
  operation_id: string
  kind: ReadKind
  since: Date | null
  until: Date | null
  page: string | null
  pages: number
  records: number
  attempt: number
  first_error_at: Date | null
  create_time: Date
}

function toRun(row: RunRow): ReadRun {
  return {
    operationId: row.operation_id,
    kind: row.kind,
    since: row.since ?? undefined,
    until: row.until ?? undefined,
    page: row.page ?? undefined,
    pages: row.pages,
    records: row.records,
    attempt: row.attempt,
    firstErrorAt: row.first_error_at ?? undefined,
    createTime: row.create_time,
  }
}

/** Commits progress of a run; false when another holder has taken it over. */
export async function advanceRun(
  tx: ProjectDb,
  operationId: string,
  fence: string,
  progress: { page: string | null; pages: number; records: number; estimated: number | null },
): Promise<boolean> {
  const { rows } = await sql`
    update read_runs
       set page = ${progress.page}, pages = pages + ${progress.pages}, records = records + ${progress.records},
           records_estimated = coalesce(records_estimated, ${progress.estimated}::bigint), attempt = 0, first_error_at = null,
           lease_until = now() + interval '15 s'
     where project_id = ${tx.projectId} and operation_id = ${operationId} and fence = ${fence}
    returning operation_id`.execute(tx.sql)
  return rows.length > 0
}

/** Puts a run off after an error; `restart` begins its window anew. */
export async function postponeRun(
  db: ProjectDb,
  operationId: string,
  fence: string,
  wait: { ms: number; restart: boolean; countsAsError: boolean },
): Promise<boolean> {
  const { rows } = await sql`
    update read_runs
       set next_attempt_at = now() + ${wait.ms} * interval '1 ms', lease_until = null,
           attempt = attempt + ${wait.countsAsError ? 1 : 0},
           first_error_at = case when ${wait.countsAsError} then coalesce(first_error_at, now()) else first_error_at end,
           page = case when ${wait.restart} then null else page end,
           pages = case when ${wait.restart} then 0 else pages end,
           records = case when ${wait.restart} then 0 else records end
     where project_id = ${db.projectId} and operation_id = ${operationId} and fence = ${fence}
    returning operation_id`.execute(db.sql)
  return rows.length > 0
}

/** Removes a run that has ended; false when another holder has taken it over. */
export async function deleteRun(tx: ProjectDb, operationId: string, fence: string): Promise<boolean> {
  const { rows } = await sql`
    delete from read_runs
     where project_id = ${tx.projectId} and operation_id = ${operationId} and fence = ${fence}
    returning operation_id`.execute(tx.sql)
  return rows.length > 0
}

/** Removes the waiting runs of objects that are no longer read; answers what they were. */
export async function deleteRunsOf(
  tx: ProjectDb,
  installationId: string,
  objectNames: string[],
): Promise<(Pick<ReadRun, 'operationId' | 'kind' | 'since' | 'until'> & { objectName: string })[]> {
  if (objectNames.length === 0) return []
  const rows = await tx.sql
    .deleteFrom('read_runs')
    .where('project_id', '=', tx.projectId)
    .where('installation_id', '=', installationId)
    .where('object_name', 'in', objectNames)
    .returning(['operation_id', 'object_name', 'kind', 'since', 'until'])
    .execute()
  return rows.map((row) => ({
    operationId: row.operation_id,
    objectName: row.object_name,
    kind: row.kind as ReadKind,
    since: row.since ?? undefined,
    until: row.until ?? undefined,
  }))
}
