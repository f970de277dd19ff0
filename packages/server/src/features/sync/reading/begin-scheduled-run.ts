import { sql } from 'kysely'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type Lease, LeaseLost, leaseEnd } from '../../../kernel/work/index.ts'
import { type InstallationRecord, lockInstallation } from '../../integrations/installations/index.ts'
import { beginOperation } from '../../platform/operations/index.ts'
import type { DueRead } from './due-reads.ts'
import type { ReadServices } from './read-services.ts'
import { type ReadRunRow, readRuns } from './run-store.ts'

/** The part of a scheduled read that is stored when it needs more than one request. */
export interface ScheduledRun {
  operationId: string
  installation: Pick<InstallationRecord, 'id' | 'integrationId' | 'configId'>
  nextRunAt: Date
  /** Window of the read. Absent: the run waits behind another one, and gets its window when it is claimed. */
  window?: { since: Date | undefined; until: Date }
}

/**
 * Gives a claimed state back and stores its read as a run with an operation, in one transaction. With a window, this
 * worker has the lease of the run; without one, the run waits.
 *
 * @throws LeaseLost when another worker has claimed the state, or already stored a scheduled run
 */
export async function beginScheduledRun(
  db: ProjectDb,
  { work, newId }: Pick<ReadServices, 'work' | 'newId'>,
  claimed: Lease<DueRead>,
  { operationId, installation, nextRunAt, window }: ScheduledRun,
): Promise<Lease<ReadRunRow>> {
  const { object_name: objectName, due_at: dueAt } = claimed.row
  const fence = newId()
  const row = await db.transaction(async (tx) => {
    // First, in the same order as every transaction that changes more than the state.
    await lockInstallation(tx, installation.id)
    const { rows: mine } = await sql`
      update read_states
         set fence = null, lease_until = null,
             next_run_at = case when next_run_at = ${dueAt}::timestamptz then ${nextRunAt} else next_run_at end
       where project_id = ${tx.projectId} and installation_id = ${installation.id} and object_name = ${objectName}
         and fence = ${claimed.fence}
      returning 1`.execute(tx.sql)
    if (mine.length === 0) throw claimed.lose()
    const { rows } = await sql<ReadRunRow>`
      insert into read_runs (project_id, operation_id, installation_id, object_name, kind, since, until, fence, lease_until)
      values (${tx.projectId}, ${operationId}, ${installation.id}, ${objectName}, 'scheduled', ${window?.since ?? null},
        ${window?.until ?? null}, ${window ? fence : null}, ${window ? leaseEnd : null})
      on conflict (project_id, installation_id, object_name) where kind = 'scheduled' do nothing
      returning *`.execute(tx.sql)
    if (!rows[0]) throw new LeaseLost()
    await beginOperation(tx, {
      id: operationId,
      integrationId: installation.integrationId,
      installationId: installation.id,
      configId: installation.configId,
      actionType: 'read',
      readType: 'scheduled',
      resource: objectName,
      metadata: { objects: [objectName] },
    })
    return rows[0]
  })
  claimed.settled()
  return work.leaseOf(readRuns, row, fence)
}
