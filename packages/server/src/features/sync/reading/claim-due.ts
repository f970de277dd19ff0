import { sql } from 'kysely'
import type { Config } from '../../../config.ts'
import type { Database, NewId } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Work } from '../../../kernel/work/index.ts'
import { insertScheduledReads, type ScheduledRead } from '../../platform/operations/index.ts'
import { runReads, runReadsKey } from './job-references.ts'
import { nextRun } from './next-run.ts'
import { readRuns } from './run-store.ts'

/** Claims across projects: the only statements of this module that do not name one project. */

const batchSize = 500

/**
 * Claims the due reads in one transaction and returns how many it claimed. Each gets its next time. Unless a run still
 * waits, each also gets a scheduled run with its operation and the job that processes it.
 *
 * The cost follows the number of due reads (partial index `read_states_due`), never the total. A unique index decides
 * whether a run still waits: the planner would base a join on statistics that a burst of runs outdates. The claim does
 * not lock rows of installations, which the runs do: a claim of hundreds of them would deadlock with changes that lock
 * the same rows in another order.
 */
export async function claimDueReads({
  database,
  queue,
  newId,
  work,
  config,
}: {
  database: Database
  queue: JobQueue
  newId: NewId
  work: Work
  config: Pick<Config, 'scheduleSpreadMs'>
}): Promise<number> {
  const spreadMs = config.scheduleSpreadMs
  return database.system.transaction().execute(async (tx) => {
    // Each claim leaves a dead entry in the index of due reads until the next vacuum. An index scan skips the entries
    // that it has found dead once. A bitmap scan, which the planner prefers while it expects few rows, would visit all
    // of them every time.
    await sql`set local enable_bitmapscan = off`.execute(tx)
    const { rows: due } = await sql<{
      project_id: string
      installation_id: string
      object_name: string
      schedule: string
      now: Date
    }>`
      select project_id, installation_id, object_name, schedule, ${work.now()} as now
        from read_states
       where next_run_at <= ${work.now()} and paused is null
       order by next_run_at
       limit ${batchSize}
         for no key update skip locked`.execute(tx)
    if (due.length === 0) return 0
    const claims = due.map(({ now, ...read }) => ({
      ...read,
      next_run_at: nextRun(read.schedule, { after: now, installationId: read.installation_id, spreadMs }),
      operation_id: newId(),
    }))
    const { rows: started } = await sql<ScheduledRead>`
      with claim as (
        select * from jsonb_to_recordset(${JSON.stringify(claims)}::jsonb)
          as claim (project_id uuid, installation_id uuid, object_name text, next_run_at timestamptz, operation_id uuid)
      ), moved as (
        update read_states as state set next_run_at = claim.next_run_at
          from claim
         where state.project_id = claim.project_id and state.installation_id = claim.installation_id
           and state.object_name = claim.object_name
      ), fresh as (
        insert into read_runs (project_id, operation_id, installation_id, object_name, kind)
        select project_id, operation_id, installation_id, object_name, 'scheduled' from claim
        on conflict (project_id, installation_id, object_name) where kind = 'scheduled' do nothing
        returning project_id, operation_id, installation_id, object_name
      )
      select fresh.*, integration_id, config_id from fresh
        join installations as installation
          on installation.project_id = fresh.project_id and installation.id = fresh.installation_id`.execute(tx)
    await insertScheduledReads(tx, started)
    await queue.enqueueAll({ sql: tx }, runReads, started.map(runItem))
    return due.length
  })
}

/** Enqueues jobs for due runs that may have no job, and for runs whose worker died. */
export async function enqueueDueRuns({
  database,
  queue,
  work,
}: {
  database: Database
  queue: JobQueue
  work: Work
}): Promise<void> {
  // No transaction: this changes only the queue, which keeps one job per key, and an idle service calls it every
  // second.
  const columns = ['project_id', 'installation_id', 'object_name'] as const
  const rows = await work.listDue(database.system, readRuns, { columns, limit: batchSize })
  await queue.enqueueAll({ sql: database.system }, runReads, rows.map(runItem))
}

function runItem(row: { project_id: string; installation_id: string; object_name: string }) {
  return {
    data: { projectId: row.project_id, installationId: row.installation_id, objectName: row.object_name },
    key: runReadsKey({ installationId: row.installation_id, objectName: row.object_name }),
  }
}
