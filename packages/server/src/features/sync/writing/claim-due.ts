import { sql } from 'kysely'
import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { DispatchTable, Work } from '../../../kernel/work/index.ts'
import { runWrites, runWritesItem } from './job-references.ts'
import { type WriteRunRow, writeRuns } from './run-store.ts'

/** Claims across projects: the only statements of this module that do not name one project. */

type ClaimServices = { database: Database; queue: JobQueue; work: Work }

const batchSize = 500

const columns = ['project_id', 'installation_id', 'object_name'] as const
type Row = Pick<WriteRunRow, (typeof columns)[number]>

/** Runs that collect records have no lease: no worker claims them before they are released. */
const collectingRuns: DispatchTable<WriteRunRow> = { ...writeRuns, due: 'gather_until' }

/** Releases runs whose first record has waited for as long as it may. Returns how many. */
export async function releaseCollected({ database, queue, work }: ClaimServices): Promise<number> {
  return database.system.transaction().execute(async (tx) => {
    const set = sql`gather_until = null, next_attempt_at = ${work.now()},
                    deadline = ${work.now()} + work.retry_hours * interval '1 hour'`
    const rows = await work.dispatch(tx, collectingRuns, { columns, limit: batchSize, set })
    await queue.enqueueAll({ sql: tx }, runWrites, items(rows))
    return rows.length
  })
}

/** Enqueues jobs for due writes that may have no job, and for writes whose worker died. */
export async function enqueueDueWrites({ database, queue, work }: ClaimServices): Promise<void> {
  const rows = await work.listDue(database.system, writeRuns, { columns, limit: batchSize })
  await queue.enqueueAll({ sql: database.system }, runWrites, items(rows))
}

function items(rows: Row[]) {
  return rows.map((row) =>
    runWritesItem({ projectId: row.project_id, installationId: row.installation_id, objectName: row.object_name }),
  )
}
