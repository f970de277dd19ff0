import { type Kysely, sql } from 'kysely'
import type { NewId, Tables } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import { checkSchemas } from './jobs/check-schemas.ts'
import { leaseMs } from './model.ts'

/** Statements across projects: the only ones of this room that do not name one project. */

const batchSize = 500

/**
 * Claims the objects whose fields are to be looked at, with a job for each installation, in one transaction. A claim is
 * a lease: should whoever took it die, the object is due again. The cost follows what is due (index
 * `schema_watches_due`). Answers how many there were.
 */
export async function claimDueChecks(
  system: Kysely<Tables>,
  queue: JobQueue,
  newId: NewId,
  now: Date,
): Promise<number> {
  return system.transaction().execute(async (tx) => {
    const { rows } = await sql<{ projectId: string; installationId: string }>`
      with due as (
        select project_id, installation_id, object_name from schema_watches
         where next_check_at <= ${now} order by next_check_at limit ${batchSize} for no key update skip locked
      )
      update schema_watches as watch set fence = ${newId()}, next_check_at = ${new Date(now.getTime() + leaseMs)}
        from due
       where watch.project_id = due.project_id and watch.installation_id = due.installation_id
         and watch.object_name = due.object_name
      returning watch.project_id as "projectId", watch.installation_id as "installationId"`.execute(tx)
    const installations = new Map(rows.map((row) => [row.installationId, row]))
    const jobs = [...installations].map(([key, data]) => ({ data, key }))
    if (jobs.length > 0) await queue.enqueueAll({ sql: tx }, checkSchemas, jobs)
    return rows.length
  })
}

/** Forgets changes past retention, in portions; answers whether there may be more. */
export async function deleteOldChanges(system: Kysely<Tables>, before: Date): Promise<boolean> {
  const { rows } = await sql`
    delete from schema_changes where (project_id, id) in (
      select project_id, id from schema_changes where create_time < ${before} order by create_time limit 1000
      for update skip locked)
    returning 1`.execute(system)
  return rows.length > 0
}
