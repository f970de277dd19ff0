import { type RawBuilder, sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { settleMs } from './model.ts'

/** An object of an installation, by the provider's name. */
export interface ChangedObject {
  installationId: string
  objectName: string
}

/**
 * How long after a reported change the object is read. A window ends `settleMs` before its read begins. The rest is for
 * a provider whose clock is ahead. All changes that are reported until then share one read.
 */
const readAfterMs = settleMs + 2_000

/**
 * Makes the scheduled reads of changed objects due in a moment. A read that is running, and one whose window ends
 * before the change, is followed by another. Objects that are not read on a schedule are left out.
 *
 * Locks the rows in the order of their keys, so that two calls never wait for each other.
 */
export async function readSoon(
  db: ProjectDb,
  { work }: { work: Work },
  objects: readonly ChangedObject[],
): Promise<void> {
  if (objects.length === 0) return
  await sql`
    with mine as materialized (
      select installation_id, object_name from read_states
       where project_id = ${db.projectId} and schedule is not null and (installation_id, object_name) in (
         select "installationId", "objectName" from
           jsonb_to_recordset(${JSON.stringify(objects)}::jsonb) as changed ("installationId" uuid, "objectName" text))
       order by installation_id, object_name for no key update
    )
    update read_states as state
       set changed_time = now(), next_run_at = least(state.next_run_at, ${soon(work)})
      from mine
     where state.project_id = ${db.projectId} and state.installation_id = mine.installation_id
       and state.object_name = mine.object_name`.execute(db.sql)
}

/**
 * SQL for when an object is due again because a change was reported after the end of the window that was read; null
 * otherwise. Without an end, nothing was read.
 */
export function dueAfterChange(
  work: Work,
  changedTime: RawBuilder<unknown>,
  windowEnd: RawBuilder<unknown>,
): RawBuilder<Date> {
  return sql<Date>`case when ${changedTime} > ${windowEnd} then ${soon(work)} end`
}

function soon(work: Work): RawBuilder<Date> {
  return sql<Date>`${work.now()} + ${readAfterMs} * interval '1 ms'`
}
