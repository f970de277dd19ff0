import { type Selectable, sql } from 'kysely'
import type { Database, ProjectDb, Tables } from '../../../../kernel/db/index.ts'
import type { Lease, Work, WorkTable } from '../../../../kernel/work/index.ts'
import type { ObjectKey } from './id-store.ts'

export type CheckRow = Selectable<Tables['deletion_checks']>

/** One row for each object whose ids are compared on a schedule. Recurring work, due at its next check. */
const deletionChecks: WorkTable<CheckRow> = {
  table: 'deletion_checks',
  key: ['project_id', 'installation_id', 'object_name'],
  due: 'next_check_at',
  failures: 'attempt',
}

/** Claims due checks of all projects, the oldest first. */
export function claimDueChecks(
  { database, work }: { database: Pick<Database, 'system'>; work: Work },
  limit: number,
): Promise<Lease<CheckRow>[]> {
  return work.claimAll(database.system, deletionChecks, {
    where: sql`work.next_check_at is not null`,
    order: sql`work.next_check_at`,
    limit,
  })
}

/** The checks that an installation is to have. */
export interface WantedCheck {
  objectName: string
  schedule: string
  nextCheckAt: Date
}

/** Creates checks, and changes the schedules of others. */
export async function upsertChecks(tx: ProjectDb, installationId: string, checks: WantedCheck[]): Promise<void> {
  if (checks.length === 0) return
  await sql`
    insert into deletion_checks (project_id, installation_id, object_name, schedule, next_check_at)
    select ${tx.projectId}, ${installationId}, wanted.object_name, wanted.schedule, wanted.next_check_at
      from jsonb_to_recordset(${JSON.stringify(
        checks.map(({ objectName, schedule, nextCheckAt }) => ({
          object_name: objectName,
          schedule,
          next_check_at: nextCheckAt,
        })),
      )}::jsonb) as wanted (object_name text, schedule text, next_check_at timestamptz)
    on conflict (project_id, installation_id, object_name) do update
      set schedule = excluded.schedule, update_time = now(),
          next_check_at = case when deletion_checks.operation_id is null then excluded.next_check_at
                               else deletion_checks.next_check_at end`.execute(tx.sql)
}

/** Deletes checks with their ids. Returns the operations of those that were running. */
export async function deleteChecks(tx: ProjectDb, installationId: string, objectNames: string[]): Promise<string[]> {
  const { rows } = await sql<{ operation_id: string | null }>`
    delete from deletion_checks
     where project_id = ${tx.projectId} and installation_id = ${installationId}
       and object_name = any(${objectNames}::text[])
    returning operation_id`.execute(tx.sql)
  return rows.flatMap(({ operation_id: id }) => id ?? [])
}

/** Locks a check until the transaction ends, and returns its operation if it is running. Undefined without a check. */
export async function lockCheck(
  tx: ProjectDb,
  { installationId, objectName }: ObjectKey,
): Promise<{ operationId: string | null } | undefined> {
  const { rows } = await sql<{ operationId: string | null }>`
    select operation_id as "operationId" from deletion_checks
     where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}
       for no key update`.execute(tx.sql)
  return rows[0]
}

/** Makes the check of an object due now, with an operation that has begun. */
export async function startCheck(
  tx: ProjectDb,
  work: Work,
  { installationId, objectName }: ObjectKey,
  operationId: string,
): Promise<void> {
  await sql`
    update deletion_checks set operation_id = ${operationId}, next_check_at = ${work.now()}
     where project_id = ${tx.projectId} and installation_id = ${installationId} and object_name = ${objectName}`.execute(
    tx.sql,
  )
}

/** Whether the reads of the object are paused. */
export async function isPaused(db: ProjectDb, { installationId, objectName }: ObjectKey): Promise<boolean> {
  const { rows } = await sql`
    select from read_states
     where project_id = ${db.projectId} and installation_id = ${installationId} and object_name = ${objectName}
       and paused is not null`.execute(db.sql)
  return rows.length > 0
}
