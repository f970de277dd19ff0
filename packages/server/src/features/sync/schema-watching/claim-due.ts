import { type Kysely, sql } from 'kysely'
import type { Database, Tables } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { checkSchemas } from './job-references.ts'
import { schemaWatches } from './store.ts'

const batchSize = 500

/**
 * Enqueues a job for each installation with objects whose fields are to be checked, across projects. The cost follows
 * what is due (index `schema_watches_due`).
 */
export async function enqueueDueChecks({
  database,
  queue,
  work,
}: {
  database: Database
  queue: JobQueue
  work: Work
}): Promise<void> {
  // What makes a watch due enqueues no job, so there is none to wait for.
  const due = { columns: ['project_id', 'installation_id'] as const, limit: batchSize, graceMs: 0 }
  const rows = await work.listDue(database.system, schemaWatches, due)
  const jobs = rows.map(({ project_id: projectId, installation_id: installationId }) => ({
    data: { projectId, installationId },
    key: installationId,
  }))
  await queue.enqueueAll({ sql: database.system }, checkSchemas, jobs)
}

/** Forgets changes past retention, in portions. Returns whether there may be more. */
export async function deleteOldChanges(system: Kysely<Tables>, before: Date): Promise<boolean> {
  const { rows } = await sql`
    delete from schema_changes where (project_id, id) in (
      select project_id, id from schema_changes where create_time < ${before} order by create_time limit 1000
      for update skip locked)
    returning 1`.execute(system)
  return rows.length > 0
}
