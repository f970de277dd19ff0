import { sql } from 'kysely'
import type { Services } from '../../../services.ts'
import { runWrites, runWritesItem } from './jobs/run-writes.ts'

/** Claims across projects: the only statements of this room that do not name one project. */

type ClaimServices = Pick<Services, 'database' | 'queue' | 'now'>

const batchSize = 500

interface Row {
  project_id: string
  installation_id: string
  object_name: string
}

/** Sends off what has gathered records for as long as its first one may wait. Answers how many. */
export async function releaseGathered({ database, queue, now }: ClaimServices): Promise<number> {
  return database.system.transaction().execute(async (tx) => {
    const { rows } = await sql<Row>`
      with due as (
        select project_id, operation_id from write_runs
         where gather_until <= ${now()} order by gather_until limit ${batchSize} for update skip locked
      )
      update write_runs as run
         set gather_until = null, next_attempt_at = ${now()}, deadline = ${now()}::timestamptz + retry_hours * interval '1 hour'
        from due
       where run.project_id = due.project_id and run.operation_id = due.operation_id
      returning run.project_id, run.installation_id, run.object_name`.execute(tx)
    await queue.enqueueAll({ sql: tx }, runWrites, items(rows))
    return rows.length
  })
}

/**
 * Finds writes that are due and that no job may know of: after a wait, or because the process that held them is gone. A
 * second old at least: younger ones have the job that was enqueued with them.
 */
export async function sweepWrites({ database, queue, now }: ClaimServices): Promise<void> {
  const { rows } = await sql<Row>`
    select distinct project_id, installation_id, object_name
      from (select project_id, installation_id, object_name from write_runs
             where gather_until is null and next_attempt_at <= ${now()}::timestamptz - interval '1 s'
               and (lease_until is null or lease_until < now())
             order by next_attempt_at limit ${batchSize}) as due`.execute(database.system)
  await queue.enqueueAll({ sql: database.system }, runWrites, items(rows))
}

function items(rows: Row[]) {
  return rows.map((row) =>
    runWritesItem({ projectId: row.project_id, installationId: row.installation_id, objectName: row.object_name }),
  )
}
