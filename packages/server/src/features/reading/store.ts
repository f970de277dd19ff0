import { sql } from 'kysely'
import type { ProjectDb } from '../../kernel/db/index.ts'
import type { PauseReason, ReadKind, ReadRun } from './model.ts'

/** A row of `read_states`: one object of one installation. */
export interface ReadState {
  objectName: string
  schedule: string | undefined
  nextRunAt: Date | undefined
  highWaterMark: Date | undefined
  paused: PauseReason | undefined
  failureCount: number
}

export async function listReadStates(db: ProjectDb, installationId: string): Promise<ReadState[]> {
  const rows = await db.sql
    .selectFrom('read_states')
    .selectAll()
    .where('project_id', '=', db.projectId)
    .where('installation_id', '=', installationId)
    .orderBy('object_name')
    .execute()
  return rows.map((row) => ({
    objectName: row.object_name,
    schedule: row.schedule ?? undefined,
    nextRunAt: row.next_run_at ?? undefined,
    highWaterMark: row.high_water_mark ?? undefined,
    paused: (row.paused as PauseReason | null) ?? undefined,
    failureCount: row.failure_count,
  }))
}

/** Takes the installation's read states for this transaction, so that two changes of one installation follow each other. */
export async function lockInstallation(tx: ProjectDb, installationId: string): Promise<void> {
  await sql`select 1 from installations where project_id = ${tx.projectId} and id = ${installationId} for no key update`.execute(
    tx.sql,
  )
}

/** What a sync decided for one object. */
export interface StateChange {
  objectName: string
  schedule: string | null
  nextRunAt: Date | null
  paused: PauseReason | null
}

/** Inserts or updates the states of one installation. A new one begins its mark now. */
export async function upsertReadStates(tx: ProjectDb, installationId: string, changes: StateChange[]): Promise<void> {
  if (changes.length === 0) return
  await sql`
    insert into read_states (project_id, installation_id, object_name, schedule, next_run_at, high_water_mark, paused, paused_time)
    select ${tx.projectId}, ${installationId}, change.object_name, change.schedule, change.next_run_at, now(), change.paused,
           case when change.paused is null then null else now() end
      from jsonb_to_recordset(${JSON.stringify(
        changes.map((change) => ({
          object_name: change.objectName,
          schedule: change.schedule,
          next_run_at: change.nextRunAt,
          paused: change.paused,
        })),
      )}::jsonb) as change (object_name text, schedule text, next_run_at timestamptz, paused text)
    on conflict (project_id, installation_id, object_name) do update
      set schedule = excluded.schedule, next_run_at = excluded.next_run_at, paused = excluded.paused,
          paused_time = case when excluded.paused is null then null
                             when read_states.paused is distinct from excluded.paused then now()
                             else read_states.paused_time end,
          update_time = now()`.execute(tx.sql)
}

export async function deleteReadStates(tx: ProjectDb, installationId: string, objectNames: string[]): Promise<void> {
  if (objectNames.length === 0) return
  await tx.sql
    .deleteFrom('read_states')
    .where('project_id', '=', tx.projectId)
    .where('installation_id', '=', installationId)
    .where('object_name', 'in', objectNames)
    .execute()
}

/** Pauses objects that are not paused yet; answers which. All of the installation when no names are given. */
export async function pauseObjects(
  tx: ProjectDb,
  installationId: string,
  reason: PauseReason,
  objectNames?: string[],
): Promise<string[]> {
  const { rows } = await sql<{ object_name: string }>`
    update read_states set paused = ${reason}, paused_time = now(), update_time = now()
     where project_id = ${tx.projectId} and installation_id = ${installationId} and paused is null
       and (${objectNames ?? null}::text[] is null or object_name = any(${objectNames ?? null}::text[]))
    returning object_name`.execute(tx.sql)
  return rows.map((row) => row.object_name)
}

/** Notes a success: the window is done up to `mark`, and earlier failures are forgotten. */
export async function advanceMark(
  tx: ProjectDb,
  installationId: string,
  objectName: string,
  mark: Date | null,
): Promise<void> {
  await sql`
    update read_states
       set high_water_mark = greatest(high_water_mark, ${mark}::timestamptz), failure_count = 0, last_error = null, update_time = now()
     where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}`.execute(
    tx.sql,
  )
}

/** Notes a failure; answers how many in a row that makes. */
export async function countFailure(
  tx: ProjectDb,
  installationId: string,
  objectName: string,
  error: string,
): Promise<number> {
  const { rows } = await sql<{ failure_count: number }>`
    update read_states set failure_count = failure_count + 1, last_error = ${error}, update_time = now()
     where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}
    returning failure_count`.execute(tx.sql)
  return rows[0]?.failure_count ?? 0
}

export interface NewRun {
  operationId: string
  objectName: string
  kind: ReadKind
  since: Date | null
  until: Date | null
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
      })),
    )
    .execute()
}

/**
 * Takes the oldest run of an object that is due, under a new fence: whoever held it before can no longer commit a page. A scheduled
 * run gets its window now: from the mark of the object to this moment, less what may still become visible.
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
          order by create_time, operation_id limit 1)
       and mine.project_id = ${db.projectId} and mine.next_attempt_at <= now()
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
           page = case when ${wait.restart} then null else page end
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

/** Removes the waiting runs of objects that are no longer read; answers their operations. */
export async function deleteRunsOf(tx: ProjectDb, installationId: string, objectNames: string[]): Promise<string[]> {
  if (objectNames.length === 0) return []
  const rows = await tx.sql
    .deleteFrom('read_runs')
    .where('project_id', '=', tx.projectId)
    .where('installation_id', '=', installationId)
    .where('object_name', 'in', objectNames)
    .returning('operation_id')
    .execute()
  return rows.map((row) => row.operation_id)
}

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
