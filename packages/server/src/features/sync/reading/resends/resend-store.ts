import { type Selectable, sql } from 'kysely'
import type { Database, ProjectDb, Tables } from '../../../../kernel/db/index.ts'
import { type Lease, publishDue, type Work, type WorkTable } from '../../../../kernel/work/index.ts'
import { resendsLoop } from './resends-loop.ts'

export type ResendRow = Selectable<Tables['resends']>

/** The newest resend of each destination. One in progress is work, due at its next step. */
const resends: WorkTable<ResendRow> = {
  table: 'resends',
  key: ['project_id', 'destination_id'],
  due: 'next_step_at',
  failures: 'attempt',
}

/** Claims due resends of all projects, the oldest first. */
export function claimDueResends(
  { database, work }: { database: Pick<Database, 'system'>; work: Work },
  limit: number,
): Promise<Lease<ResendRow>[]> {
  return work.claimAll(database.system, resends, {
    where: sql`work.next_step_at is not null`,
    order: sql`work.next_step_at`,
    limit,
  })
}

export interface NewResend {
  id: string
  destinationId: string
  integrationId: string | null
  groupRef: string | null
  objectName: string | null
}

/** Starts a resend in place of the last one of the destination. The caller has locked the destination. */
export async function insertResend(tx: ProjectDb, resend: NewResend): Promise<ResendRow> {
  const { destinationId, integrationId, groupRef, objectName } = resend
  await tx.sql
    .deleteFrom('resends')
    .where('project_id', '=', tx.projectId)
    .where('destination_id', '=', destinationId)
    .execute()
  return tx.sql
    .insertInto('resends')
    .values({
      project_id: tx.projectId,
      destination_id: destinationId,
      id: resend.id,
      integration_id: integrationId,
      group_ref: groupRef,
      object_name: objectName,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Finds the newest resend of a destination. */
export async function findResend(db: ProjectDb, destinationId: string): Promise<ResendRow | undefined> {
  const { rows } = await sql<ResendRow>`
    select * from resends where project_id = ${db.projectId} and destination_id = ${destinationId}`.execute(db.sql)
  return rows[0]
}

/** Finds the newest resend of a destination, and locks it until the transaction ends. */
export async function lockResend(tx: ProjectDb, destinationId: string): Promise<ResendRow | undefined> {
  const { rows } = await sql<ResendRow>`
    select * from resends where project_id = ${tx.projectId} and destination_id = ${destinationId} for update`.execute(
    tx.sql,
  )
  return rows[0]
}

/**
 * Locks the resends of the project that are in progress, so that their steps come one after the other: together they
 * keep the limit of reads. Always in the same order, so that two transactions never deadlock.
 */
export async function lockOpenResends(tx: ProjectDb): Promise<void> {
  await sql`
    select from resends where project_id = ${tx.projectId} and status = 'in_progress'
    order by destination_id for no key update`.execute(tx.sql)
}

/** Ends a resend that was canceled. A worker that has its lease loses it. */
export async function cancelResendRow(tx: ProjectDb, destinationId: string): Promise<ResendRow> {
  const { rows } = await sql<ResendRow>`
    update resends
       set status = 'canceled', end_time = now(), next_step_at = null, fence = null, lease_until = null
     where project_id = ${tx.projectId} and destination_id = ${destinationId}
    returning *`.execute(tx.sql)
  const [row] = rows
  if (!row) throw new Error('the resend is not locked')
  return row
}

/** Makes the next step of a resend due, after one of its reads has ended. Without it, the step waits for its time. */
export async function wakeResend(db: ProjectDb, destinationId: string): Promise<void> {
  await sql`
    update resends set next_step_at = now()
     where project_id = ${db.projectId} and destination_id = ${destinationId} and next_step_at > now()`.execute(db.sql)
  await publishDue(db, resendsLoop)
}
