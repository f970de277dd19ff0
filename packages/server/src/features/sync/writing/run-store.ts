import { type Selectable, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'
import type { PreparedWrite, Tally } from './model.ts'

/** A write without an outcome yet: a row of `write_runs`. */
export interface WriteRun extends Tally, Pick<PreparedWrite, 'objectName' | 'type' | 'batch' | 'allOrNone'> {
  operationId: string
  installationId: string
  mode: 'synchronous' | 'asynchronous'
  sealedHeaders: string | undefined
  /** How many records there are in all. */
  records: number
  /** Records before this one have their outcome. */
  position: number
  /** Those from `position` on were sent by a holder that never told what came of it. */
  sending: boolean
  attempt: number
  /** When it is given up. */
  deadline: Date
}

export interface NewWriteRun extends Pick<PreparedWrite, 'objectName' | 'type' | 'batch' | 'allOrNone'> {
  operationId: string
  installationId: string
  mode: 'synchronous' | 'asynchronous'
  sealedHeaders: string | undefined
  records: number
  retryHours: number
  now: Date
  /** Whoever sends it right away, from this moment on. */
  fence?: string
  /** Takes further records of the same variant until then. */
  gather?: { until: Date; variant: Buffer }
}

/** How long a holder that says nothing is believed to live; it speaks every third of it. */
export const leaseMs = 15_000
const leaseEnd = sql`now() + ${leaseMs} * interval '1 ms'`

/**
 * Inserts a run, or adds one record to the run that gathers records like these. Answers which, and how many records it
 * has now. One statement, so that of many at the same moment none is lost and only one begins an operation.
 */
export async function insertRun(tx: ProjectDb, run: NewWriteRun): Promise<{ operationId: string; records: number }> {
  const { rows } = await sql<{ operationId: string; records: number }>`
    insert into write_runs as run (project_id, operation_id, installation_id, object_name, type, mode, batch, all_or_none,
      sealed_headers, records, variant, gather_until, retry_hours, deadline, next_attempt_at, sending, fence, lease_until)
    values (${tx.projectId}, ${run.operationId}, ${run.installationId}, ${run.objectName}, ${run.type}, ${run.mode},
      ${run.batch}, ${run.allOrNone}, ${run.sealedHeaders ?? null}, ${run.records}, ${run.gather?.variant ?? null},
      ${run.gather?.until ?? null}, ${run.retryHours}, ${run.now}::timestamptz + ${run.retryHours} * interval '1 hour', ${run.now},
      ${run.fence !== undefined}, ${run.fence ?? null}, ${run.fence === undefined ? null : leaseEnd})
    on conflict (project_id, installation_id, object_name, type, variant) where gather_until is not null
      do update set records = run.records + 1
    returning operation_id as "operationId", records`.execute(tx.sql)
  return rows[0]!
}

/** Sends off what was gathered: it takes no further records, and its time to be tried begins. */
export async function releaseRun(tx: ProjectDb, operationId: string, now: Date): Promise<void> {
  await sql`
    update write_runs
       set gather_until = null, next_attempt_at = ${now}, deadline = ${now}::timestamptz + retry_hours * interval '1 hour'
     where project_id = ${tx.projectId} and operation_id = ${operationId} and gather_until is not null`.execute(tx.sql)
}

/**
 * Takes the oldest run of an object that is due and that nobody holds, under a new fence: who held it before can settle
 * nothing.
 */
export async function takeRun(
  db: ProjectDb,
  of: { installationId: string; objectName: string },
  fence: string,
  now: Date,
): Promise<WriteRun | undefined> {
  const { rows } = await sql<Selectable<Tables['write_runs']>>`
    update write_runs set fence = ${fence}, lease_until = ${leaseEnd}
     where project_id = ${db.projectId} and operation_id = (
       select operation_id from write_runs
        where project_id = ${db.projectId} and installation_id = ${of.installationId} and object_name = ${of.objectName}
          and gather_until is null and next_attempt_at <= ${now} and (lease_until is null or lease_until < now())
        order by operation_id limit 1 for update skip locked)
    returning *`.execute(db.sql)
  const row = rows[0]
  return row && toRun(row)
}

function toRun(row: Selectable<Tables['write_runs']>): WriteRun {
  return {
    operationId: row.operation_id,
    installationId: row.installation_id,
    objectName: row.object_name,
    type: row.type,
    mode: row.mode,
    batch: row.batch,
    allOrNone: row.all_or_none,
    sealedHeaders: row.sealed_headers ?? undefined,
    records: row.records,
    position: row.position,
    sending: row.sending,
    attempt: row.attempt,
    deadline: row.deadline,
    succeeded: row.succeeded,
    failed: row.failed,
    recordIds: row.record_ids,
    errors: row.errors,
  }
}

/** A holder lives. Answers false when it holds the run no more. */
export async function keepRun(
  db: ProjectDb,
  operationId: string,
  fence: string,
  change: { sending?: boolean } = {},
): Promise<boolean> {
  const { rows } = await sql`
    update write_runs set lease_until = ${leaseEnd}, sending = coalesce(${change.sending ?? null}, sending)
     where project_id = ${db.projectId} and operation_id = ${operationId} and fence = ${fence}
    returning operation_id`.execute(db.sql)
  return rows.length > 0
}

/**
 * Settles records up to `position`: their outcome is known and stays. False when another holder has taken the run over.
 */
export async function advanceRun(
  tx: ProjectDb,
  operationId: string,
  fence: string,
  { position, ...tally }: Tally & { position: number },
): Promise<boolean> {
  const { rows } = await sql`
    update write_runs
       set position = ${position}, succeeded = ${tally.succeeded}, failed = ${tally.failed},
           record_ids = ${JSON.stringify(tally.recordIds)}, errors = ${JSON.stringify(tally.errors)},
           sending = false, attempt = 0, lease_until = ${leaseEnd}
     where project_id = ${tx.projectId} and operation_id = ${operationId} and fence = ${fence}
    returning operation_id`.execute(tx.sql)
  return rows.length > 0
}

/** Puts a run off: nothing of what was to be sent has been written. */
export async function postponeRun(
  db: ProjectDb,
  operationId: string,
  fence: string,
  { until, countsAsError }: { until: Date; countsAsError: boolean },
): Promise<boolean> {
  const { rows } = await sql`
    update write_runs
       set next_attempt_at = ${until}, attempt = attempt + ${countsAsError ? 1 : 0}, sending = false, lease_until = null
     where project_id = ${db.projectId} and operation_id = ${operationId} and fence = ${fence}
    returning operation_id`.execute(db.sql)
  return rows.length > 0
}

/** Removes a run that has ended, with its records; false when another holder has taken it over, or it is gone. */
export async function deleteRun(tx: ProjectDb, operationId: string, fence: string): Promise<boolean> {
  const { rows } = await sql`
    delete from write_runs where project_id = ${tx.projectId} and operation_id = ${operationId} and fence = ${fence}
    returning operation_id`.execute(tx.sql)
  return rows.length > 0
}

/** What waits of some installations and was answered by the promise of an event. */
export async function listWaitingRuns(
  tx: ProjectDb,
  installationIds: string[],
): Promise<{ installationId: string; objectName: string; recordIds: string[]; errors: string[] }[]> {
  const { rows } = await sql<{ installationId: string; objectName: string; recordIds: string[]; errors: string[] }>`
    select installation_id as "installationId", object_name as "objectName", record_ids as "recordIds", errors
      from write_runs
     where project_id = ${tx.projectId} and installation_id = any(${installationIds}) and mode = 'asynchronous'
     order by operation_id`.execute(tx.sql)
  return rows
}
