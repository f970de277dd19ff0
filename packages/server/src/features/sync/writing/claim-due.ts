import { sql } from 'kysely'
import type { Services } from '../../../services.ts'
import { runWrites, runWritesItem } from './jobs/run-writes.ts'
import { type WriteRunRow, writeRuns } from './run-store.ts'

/** Claims across projects: the only statements of this room that do not name one project. */

type ClaimServices = Pick<Services, 'database' | 'queue' | 'work'>

const batchSize = 500

type Row = Pick<WriteRunRow, 'project_id' | 'installation_id' | 'object_name'>

/** Sends off what has gathered records for as long as its first one may wait. Answers how many. */
export async function releaseGathered({ database, queue, work }: ClaimServices): Promise<number> {
  return database.system.transaction().execute(async (tx) => {
    const { rows } = await sql<Row>`
      with due as (
        select project_id, operation_id from write_runs
         where gather_until <= ${work.now()} order by gather_until limit ${batchSize} for update skip locked
      )
      update write_runs as run
         set gather_until = null, next_attempt_at = ${work.now()}, deadline = ${work.now()} + retry_hours * interval '1 hour'
        from due
       where run.project_id = due.project_id and run.operation_id = due.operation_id
      returning run.project_id, run.installation_id, run.object_name`.execute(tx)
    await queue.enqueueAll({ sql: tx }, runWrites, items(rows))
    return rows.length
  })
}

/** Enqueues jobs for writes that are due and that no job may know of, and for those whose worker died. */
export async function enqueueDueWrites({ database, queue, work }: ClaimServices): Promise<void> {
  const columns = ['project_id', 'installation_id', 'object_name'] as const
  const rows = await work.listDue(database.system, writeRuns, { columns, limit: batchSize })
  await queue.enqueueAll({ sql: database.system }, runWrites, items(rows))
}

function items(rows: Row[]) {
  return rows.map((row) =>
    runWritesItem({ projectId: row.project_id, installationId: row.installation_id, objectName: row.object_name }),
  )
}
