import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { PauseReason, ReadKind, ReadSchedule } from './model.ts'

/**
 * Finds the objects of an installation that are read or checked for deletions on a schedule, in one statement. Returns
 * undefined when the integration has no such installation.
 *
 * @param integration id or name
 */
export async function findSchedules(
  db: ProjectDb,
  integration: string,
  installationId: string,
): Promise<Omit<ReadSchedule, 'offsetSeconds'>[] | undefined> {
  const { rows } = await sql<{
    object_name: string | null
    schedule: string | null
    last_run_time: Date | null
    last_run_status: 'success' | 'failure' | null
    next_run_at: Date | null
    paused: PauseReason | null
    run_kind: ReadKind | null
    run_time: Date | null
    check_schedule: string | null
    next_check_at: Date | null
    check_operation: string | null
    last_check_time: Date | null
    last_check_status: 'success' | 'failure' | null
    check_error: string | null
  }>`
    select state.object_name, state.schedule, state.last_run_time, state.last_run_status, state.next_run_at, state.paused,
           run.kind as run_kind, run.create_time as run_time,
           deletions.schedule as check_schedule, deletions.next_check_at, deletions.operation_id as check_operation,
           deletions.last_check_time, deletions.last_check_status, deletions.last_error as check_error
      from installations as installation
      join integrations as integration
        on integration.project_id = installation.project_id and integration.id = installation.integration_id
      left join read_states as state
        on state.project_id = installation.project_id and state.installation_id = installation.id
      left join deletion_checks as deletions
        on deletions.project_id = state.project_id and deletions.installation_id = state.installation_id
       and deletions.object_name = state.object_name
      left join lateral (
        select kind, create_time from read_runs
         where project_id = state.project_id and installation_id = state.installation_id
           and object_name = state.object_name
         order by kind = 'scheduled' desc, create_time limit 1
      ) as run on true
     where installation.project_id = ${db.projectId} and installation.id = ${installationId}
       and (integration.id::text = lower(${integration}) or integration.name = ${integration})
     order by state.object_name`.execute(db.sql)
  if (rows.length === 0) return undefined
  return rows.flatMap((row) => {
    if (row.object_name === null || (row.schedule === null && row.check_schedule === null)) return []
    const running = row.run_kind === 'scheduled' && row.run_time
    const lastRunTime = running || row.last_run_time
    const lastRunStatus = running ? 'in_progress' : row.last_run_status
    return {
      objectName: row.object_name,
      ...(row.schedule !== null && { schedule: row.schedule }),
      ...(lastRunTime && { lastRunTime }),
      ...(lastRunStatus && { lastRunStatus }),
      ...(row.next_run_at && !row.paused && { nextRunTime: row.next_run_at }),
      ...(row.paused && { pauseReason: row.paused }),
      ...(row.check_schedule !== null && {
        deletions: {
          schedule: row.check_schedule,
          ...(row.last_check_time && { lastCheckTime: row.last_check_time }),
          ...(row.last_check_status && { lastCheckStatus: row.last_check_status }),
          ...(row.check_error !== null && { error: row.check_error }),
          ...(row.check_operation && { operationId: row.check_operation }),
          ...(row.next_check_at && !row.paused && { nextCheckTime: row.next_check_at }),
        },
      }),
      ...(row.run_kind && { waitsFor: row.run_kind }),
    }
  })
}
