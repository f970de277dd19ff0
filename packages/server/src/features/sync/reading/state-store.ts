import { type Selectable, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import type { PauseReason } from './model.ts'
import { dueAfterChange } from './read-soon.ts'

/** A row of `read_states`: one object of one installation. */
export interface ReadState {
  objectName: string
  schedule: string | undefined
  nextRunAt: Date | undefined
  highWaterMark: Date | undefined
  paused: PauseReason | undefined
  failureCount: number
  /** When its deleted records are looked for, if they are. */
  deletionSchedule: string | undefined
}

/**
 * Lists the states of an installation. With `lock`, nobody else changes one until the transaction ends. Locks them in
 * the order of their keys, as all others do.
 */
export async function listReadStates(
  db: ProjectDb,
  installationId: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<ReadState[]> {
  const { rows } = await sql<Selectable<Tables['read_states']> & { deletion_schedule: string | null }>`
    select state.*, deletions.schedule as deletion_schedule
      from read_states as state
      left join deletion_checks as deletions
        on deletions.project_id = state.project_id and deletions.installation_id = state.installation_id
       and deletions.object_name = state.object_name
     where state.project_id = ${db.projectId} and state.installation_id = ${installationId}
     order by state.object_name ${lock ? sql`for no key update of state` : sql``}`.execute(db.sql)
  return rows.map((row) => ({
    objectName: row.object_name,
    schedule: row.schedule ?? undefined,
    nextRunAt: row.next_run_at ?? undefined,
    highWaterMark: row.high_water_mark ?? undefined,
    paused: (row.paused as PauseReason | null) ?? undefined,
    failureCount: row.failure_count,
    deletionSchedule: row.deletion_schedule ?? undefined,
  }))
}

/** The decision of a sync for one object. */
export interface StateChange {
  objectName: string
  schedule: string | null
  nextRunAt: Date | null
  paused: PauseReason | null
}

/** Inserts or updates the states of one installation. The mark of a new one is now. */
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

/**
 * Pauses objects that are not paused yet, or all of the installation when no names are given. Returns the names that it
 * paused. A requested pause also replaces an automatic one, which would end automatically.
 */
export async function pauseObjects(
  tx: ProjectDb,
  installationId: string,
  reason: PauseReason,
  objectNames?: string[],
): Promise<string[]> {
  const { rows } = await sql<{ object_name: string }>`
    update read_states set paused = ${reason}, paused_time = now(), update_time = now()
     where project_id = ${tx.projectId} and installation_id = ${installationId}
       and (paused is null or (${reason} = 'request' and paused in ('failures', 'credentials')))
       and (${objectNames ?? null}::text[] is null or object_name = any(${objectNames ?? null}::text[]))
    returning object_name`.execute(tx.sql)
  return rows.map((row) => row.object_name)
}

/**
 * Records a success: the window is complete up to `mark`, and the failure count is reset. A change that was reported
 * after that makes the next read due.
 */
export async function advanceMark(
  tx: ProjectDb,
  { work }: { work: Work },
  { installationId, objectName }: { installationId: string; objectName: string },
  mark: Date | null,
): Promise<void> {
  const again = dueAfterChange(work, sql`changed_time`, sql`${mark}::timestamptz`)
  await sql`
    update read_states
       set high_water_mark = greatest(high_water_mark, ${mark}::timestamptz), failure_count = 0, last_error = null,
           next_run_at = case when schedule is null then next_run_at else least(next_run_at, ${again}) end, update_time = now()
     where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}`.execute(
    tx.sql,
  )
}

/** Stores when the newest scheduled run of an object began, and how it ended. */
export async function storeLastRun(
  tx: ProjectDb,
  installationId: string,
  objectName: string,
  time: Date,
  status: 'success' | 'failure',
): Promise<void> {
  await sql`
    update read_states set last_run_time = ${time}, last_run_status = ${status}
     where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}`.execute(
    tx.sql,
  )
}

/** Records a failure. Returns the number of failures in a row. */
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

/** Ends the pauses that a user may end. The objects are scheduled from now on. */
export async function unpauseObjects(tx: ProjectDb, installationId: string, objectNames?: string[]): Promise<string[]> {
  const { rows } = await sql<{ object_name: string }>`
    update read_states set paused = null, paused_time = null, failure_count = 0, update_time = now()
     where project_id = ${tx.projectId} and installation_id = ${installationId} and paused in ('request', 'failures', 'credentials')
       and (${objectNames ?? null}::text[] is null or object_name = any(${objectNames ?? null}::text[]))
    returning object_name`.execute(tx.sql)
  return rows.map((row) => row.object_name)
}
