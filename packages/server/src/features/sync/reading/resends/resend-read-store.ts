import { sql } from 'kysely'
import type { ProjectDb } from '../../../../kernel/db/index.ts'

/** An object of an installation that a resend reads. */
export interface ResendObject {
  installationId: string
  objectName: string
}

const key = ({ installationId, objectName }: ResendObject) => ({
  installation_id: installationId,
  object_name: objectName,
})

/** Lists installations that a resend may read, after a given one: those that existed when it started. */
export async function listInstallationsToRead(
  db: ProjectDb,
  of: { integrationId: string | null; groupRef: string | null; before: Date; after: string | null; limit: number },
): Promise<string[]> {
  const rows = await db.sql
    .selectFrom('installations')
    .select('id')
    .where('project_id', '=', db.projectId)
    .where('create_time', '<=', of.before)
    .$if(of.integrationId !== null, (query) => query.where('integration_id', '=', of.integrationId ?? ''))
    .$if(of.groupRef !== null, (query) => query.where('group_ref', '=', of.groupRef ?? ''))
    .$if(of.after !== null, (query) => query.where('id', '>', of.after ?? ''))
    .orderBy('id')
    .limit(of.limit)
    .execute()
  return rows.map((row) => row.id)
}

/** Adds reads to a resend. They wait. */
export async function insertResendReads(tx: ProjectDb, destinationId: string, objects: ResendObject[]): Promise<void> {
  if (objects.length === 0) return
  await sql`
    insert into resend_reads (project_id, destination_id, installation_id, object_name)
    select ${tx.projectId}, ${destinationId}, read.installation_id, read.object_name
      from jsonb_to_recordset(${JSON.stringify(objects.map(key))}::jsonb)
        as read (installation_id uuid, object_name text)`.execute(tx.sql)
}

/** Returns the first reads of a resend that wait. */
export async function listWaitingReads(tx: ProjectDb, destinationId: string, limit: number): Promise<ResendObject[]> {
  const { rows } = await sql<ResendObject>`
    select installation_id as "installationId", object_name as "objectName" from resend_reads
     where project_id = ${tx.projectId} and destination_id = ${destinationId} and status = 'waiting'
     order by installation_id, object_name limit ${limit}`.execute(tx.sql)
  return rows
}

/** Stores that reads of a resend have started, or why they cannot. */
export async function startResendReads(
  tx: ProjectDb,
  destinationId: string,
  reads: (ResendObject & { operationId?: string; error?: string })[],
): Promise<void> {
  if (reads.length === 0) return
  const started = reads.map(({ operationId, error, ...object }) => ({
    ...key(object),
    operation_id: operationId,
    error,
  }))
  await sql`
    update resend_reads as read
       set status = case when started.operation_id is null then 'failure' else 'in_progress' end,
           operation_id = started.operation_id, error = started.error
      from jsonb_to_recordset(${JSON.stringify(started)}::jsonb)
        as started (installation_id uuid, object_name text, operation_id uuid, error text)
     where read.project_id = ${tx.projectId} and read.destination_id = ${destinationId}
       and read.installation_id = started.installation_id and read.object_name = started.object_name`.execute(tx.sql)
}

/** Ends a read of a resend with its run; `error` says why it failed. */
export async function endResendRead(
  tx: ProjectDb,
  operationId: string,
  { records, error }: { records: number; error: string | undefined },
): Promise<void> {
  await sql`
    update resend_reads
       set status = ${error === undefined ? 'success' : 'failure'}, records = ${records}, error = ${error ?? null}
     where project_id = ${tx.projectId} and operation_id = ${operationId} and status = 'in_progress'`.execute(tx.sql)
}

/** Ends reads whose runs were deleted with their installation or object. */
export async function endDeletedReads(tx: ProjectDb, destinationId: string, error: string): Promise<void> {
  await sql`
    update resend_reads as read set status = 'failure', error = ${error}
     where read.project_id = ${tx.projectId} and read.destination_id = ${destinationId} and read.status = 'in_progress'
       and not exists (select from read_runs as run
         where run.project_id = read.project_id and run.operation_id = read.operation_id)`.execute(tx.sql)
}

/** Cancels the reads of a resend that have not ended. */
export async function cancelResendReads(tx: ProjectDb, destinationId: string): Promise<void> {
  await sql`
    update resend_reads set status = 'canceled'
     where project_id = ${tx.projectId} and destination_id = ${destinationId}
       and status in ('waiting', 'in_progress')`.execute(tx.sql)
}

/** Counts the runs of all resends of the project: those that progress, and those that wait after an error. */
export async function countResendRuns(tx: ProjectDb): Promise<{ active: number; retrying: number }> {
  const { rows } = await sql<{ active: number; retrying: number }>`
    select count(*) filter (where first_error_at is null)::int as active,
           count(*) filter (where first_error_at is not null)::int as retrying
      from read_runs where project_id = ${tx.projectId} and resend_to is not null`.execute(tx.sql)
  return rows[0] ?? { active: 0, retrying: 0 }
}

/** Returns whether reads of a resend wait or are in progress, and whether one has failed. */
export async function outcomeOfReads(
  tx: ProjectDb,
  destinationId: string,
): Promise<{ isOpen: boolean; hasFailed: boolean }> {
  const some = (statuses: string[]) => sql<boolean>`exists (
    select from resend_reads where project_id = ${tx.projectId} and destination_id = ${destinationId}
       and status = any(${statuses}::text[]))`
  const { rows } = await sql<{ isOpen: boolean; hasFailed: boolean }>`
    select ${some(['waiting', 'in_progress'])} as "isOpen", ${some(['failure'])} as "hasFailed"`.execute(tx.sql)
  return rows[0] ?? { isOpen: false, hasFailed: false }
}

export interface ResendProgress {
  installations: { total: number; done: number; failed: number }
  reads: { total: number; done: number; failed: number }
  records: number
}

/** Counts how far a resend has come, with what its runs have committed. */
export async function findResendProgress(db: ProjectDb, destinationId: string): Promise<ResendProgress> {
  const { rows } = await sql<{
    installations: number
    installations_done: number
    installations_failed: number
    reads: number
    reads_done: number
    reads_failed: number
    records: string
  }>`
    with by_installation as (
      select count(*) as reads, count(*) filter (where read.status in ('success', 'failure')) as done,
             count(*) filter (where read.status = 'failure') as failed,
             sum(coalesce(run.records, read.records)) as records
        from resend_reads as read
        left join read_runs as run on run.project_id = read.project_id and run.operation_id = read.operation_id
       where read.project_id = ${db.projectId} and read.destination_id = ${destinationId}
       group by read.installation_id
    )
    select count(*)::int as installations, (count(*) filter (where done = reads))::int as installations_done,
           (count(*) filter (where failed > 0))::int as installations_failed, coalesce(sum(reads), 0)::int as reads,
           coalesce(sum(done), 0)::int as reads_done, coalesce(sum(failed), 0)::int as reads_failed,
           coalesce(sum(records), 0)::text as records
      from by_installation`.execute(db.sql)
  const [row] = rows
  return {
    installations: {
      total: row?.installations ?? 0,
      done: row?.installations_done ?? 0,
      failed: row?.installations_failed ?? 0,
    },
    reads: { total: row?.reads ?? 0, done: row?.reads_done ?? 0, failed: row?.reads_failed ?? 0 },
    records: Number(row?.records ?? 0),
  }
}

/** Lists reads of a resend that failed, by installation. */
export async function listFailedReads(
  db: ProjectDb,
  destinationId: string,
  limit: number,
): Promise<(ResendObject & { operationId: string | null; error: string })[]> {
  const { rows } = await sql<ResendObject & { operationId: string | null; error: string }>`
    select installation_id as "installationId", object_name as "objectName", operation_id as "operationId",
           coalesce(error, '') as error
      from resend_reads
     where project_id = ${db.projectId} and destination_id = ${destinationId} and status = 'failure'
     order by installation_id, object_name limit ${limit}`.execute(db.sql)
  return rows
}
