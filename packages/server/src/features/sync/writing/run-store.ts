import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { ProjectDb, Tables } from '../../../kernel/db/index.ts'
import { type Lease, leaseEnd, type Work, type WorkTable } from '../../../kernel/work/index.ts'
import type { PreparedWrite, Tally } from './model.ts'

export type WriteRunRow = Selectable<Tables['write_runs']>

/** Runs are work: due at `next_attempt_at` once they stop collecting records, deleted when their operation ends. */
export const writeRuns: WorkTable<WriteRunRow> = {
  table: 'write_runs',
  key: ['project_id', 'operation_id'],
  due: 'next_attempt_at',
  failures: 'attempt',
  eligible: sql`work.gather_until is null`,
}

export type WriteJobPosition = NonNullable<WriteRunRow['job']>

/** A write without an outcome yet: a row of `write_runs`. */
export interface WriteRun extends Tally, Pick<PreparedWrite, 'objectName' | 'type' | 'batch' | 'allOrNone'> {
  operationId: string
  installationId: string
  mode: 'synchronous' | 'asynchronous'
  encryptedHeaders: string | undefined
  /** Total number of records. */
  records: number
  /** Records before this one have an outcome. */
  position: number
  /** The records from `position` on were sent by a worker that never reported the outcome. */
  sending: boolean
  job: WriteJobPosition | undefined
  attempt: number
  /** When the write gives up. */
  deadline: Date
}

export interface NewWriteRun extends Pick<PreparedWrite, 'objectName' | 'type' | 'batch' | 'allOrNone'> {
  operationId: string
  installationId: string
  mode: 'synchronous' | 'asynchronous'
  encryptedHeaders: string | undefined
  records: number
  retryHours: number
  /** The current time of the database. */
  now: RawBuilder<Date>
  /** Fence of the lease under which it is sent immediately. */
  fence?: string
  /** Collects further records of the same variant for this long. */
  collect?: { forMs: number; variant: Buffer }
}

/**
 * Inserts a run, or adds one record to the run that collects records of the same variant. Returns the run as it is now.
 * One statement, so that of many concurrent records none is lost and only one begins an operation.
 */
export async function insertRun(tx: ProjectDb, run: NewWriteRun): Promise<WriteRunRow> {
  const { rows } = await sql<WriteRunRow>`
    insert into write_runs as run (project_id, operation_id, installation_id, object_name, type, mode, batch, all_or_none,
      encrypted_headers, records, variant, gather_until, retry_hours, deadline, next_attempt_at, sending, fence, lease_until)
    values (${tx.projectId}, ${run.operationId}, ${run.installationId}, ${run.objectName}, ${run.type}, ${run.mode},
      ${run.batch}, ${run.allOrNone}, ${run.encryptedHeaders ?? null}, ${run.records}, ${run.collect?.variant ?? null},
      ${run.collect ? sql`${run.now} + ${run.collect.forMs} * interval '1 ms'` : null}, ${run.retryHours},
      ${run.now} + ${run.retryHours} * interval '1 hour', ${run.now},
      ${run.fence !== undefined}, ${run.fence ?? null}, ${run.fence === undefined ? null : leaseEnd})
    on conflict (project_id, installation_id, object_name, type, variant) where gather_until is not null
      do update set records = run.records + 1
    returning run.*`.execute(tx.sql)
  const [row] = rows
  if (row === undefined) throw new Error('The insert of a write run returned no row.')
  return row
}

/** Releases a run: it accepts no further records, and its retry period begins. */
export async function releaseRun(tx: ProjectDb, operationId: string, now: RawBuilder<Date>): Promise<void> {
  await sql`
    update write_runs
       set gather_until = null, next_attempt_at = ${now}, deadline = ${now} + retry_hours * interval '1 hour'
     where project_id = ${tx.projectId} and operation_id = ${operationId} and gather_until is not null`.execute(tx.sql)
}

/** Claims the oldest due run of an object that no worker has. */
export function claimRun(
  db: ProjectDb,
  work: Work,
  { installationId, objectName }: { installationId: string; objectName: string },
): Promise<Lease<WriteRunRow> | undefined> {
  return work.claimOne(db, writeRuns, {
    where: sql`work.installation_id = ${installationId} and work.object_name = ${objectName}`,
    order: sql`work.operation_id`,
  })
}

export function toRun(row: WriteRunRow): WriteRun {
  return {
    operationId: row.operation_id,
    installationId: row.installation_id,
    objectName: row.object_name,
    type: row.type,
    mode: row.mode,
    batch: row.batch,
    allOrNone: row.all_or_none,
    encryptedHeaders: row.encrypted_headers ?? undefined,
    records: row.records,
    position: row.position,
    sending: row.sending,
    job: row.job ?? undefined,
    attempt: row.attempt,
    deadline: row.deadline,
    succeeded: row.succeeded,
    failed: row.failed,
    recordIds: row.record_ids,
    errors: row.errors,
  }
}

/**
 * Stores how far the job of the provider is, before the next request to it. The records of a started job count as being
 * sent: a node that knows no jobs does not send them again.
 */
export function noteJob(db: ProjectDb, lease: Lease<WriteRunRow>, job: WriteJobPosition | undefined): Promise<void> {
  return lease.note(
    db,
    sql`job = ${job === undefined ? null : JSON.stringify(job)}::jsonb, sending = ${job?.phase === 'started'}`,
  )
}

/** Settles records up to `position`: their outcome is final. */
export function advanceRun(
  tx: ProjectDb,
  lease: Lease<WriteRunRow>,
  { position, job, ...tally }: Tally & { position: number; job: WriteJobPosition | undefined },
): Promise<void> {
  return lease.advance(
    tx,
    sql`position = ${position}, succeeded = ${tally.succeeded}, failed = ${tally.failed},
        record_ids = ${JSON.stringify(tally.recordIds)}, errors = ${JSON.stringify(tally.errors)}, sending = false,
        job = ${job === undefined ? null : JSON.stringify(job)}::jsonb`,
  )
}

/** Lists waiting runs of some installations whose callers were promised an event with the outcome. */
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
