import { sql } from 'kysely'
import { type ProjectDb, prepared } from '../../../kernel/db/index.ts'
import type { PauseReason } from './model.ts'

/** What is known of the reads of an object. */
export interface ObjectStatusRow {
  objectName: string
  paused: PauseReason | null
  pausedTime: Date | null
  failureCount: number
  lastError: string | null
  /** Until when its changes were read. A failed attempt does not count; null if none succeeded. */
  readTime: Date | null
  nextRunTime: Date | null
  updateTime: Date | null
  isBackfilling: boolean
  recordsRead: number | null
  recordsTotal: number | null
  backfillError: string | null
  backfillTime: Date | null
}

/** Lists the objects that an installation reads, by name. */
export async function listObjectStatuses(db: ProjectDb, installationId: string): Promise<ObjectStatusRow[]> {
  const { rows } = await sql<ObjectStatusRow>`${prepared}
    select s.object_name as "objectName", s.paused, s.paused_time as "pausedTime", s.failure_count as "failureCount",
      s.last_error as "lastError", case when s.high_water_mark > s.create_time then s.high_water_mark end as "readTime", s.next_run_at as "nextRunTime",
      s.update_time as "updateTime", b.installation_id is not null and b.done_time is null and b.error is null as "isBackfilling",
      b.records_processed as "recordsRead", b.records_estimated as "recordsTotal", b.error as "backfillError",
      coalesce(b.update_time, b.create_time) as "backfillTime"
    from read_states s
    left join backfills b on b.project_id = s.project_id and b.installation_id = s.installation_id
      and b.object_name = s.object_name
    where s.project_id = ${db.projectId} and s.installation_id = ${installationId}
      and s.paused is distinct from 'removed'
    order by s.object_name`.execute(db.sql)
  return rows
}
