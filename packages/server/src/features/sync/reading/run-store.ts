import { type Selectable, sql } from 'kysely'
import type { Database, ProjectDb, Tables } from '../../../kernel/db/index.ts'
import type { Lease, Work, WorkTable } from '../../../kernel/work/index.ts'
import { type ReadKind, type ReadRun, settleMs } from './model.ts'

export interface NewRun {
  operationId: string
  objectName: string
  kind: ReadKind
  since: Date | null
  until: Date | null
  /** Where it continues, and what was read up to there; from the beginning when absent. */
  page?: string
  pages?: number
  records?: number
  /** Id of the destination that a resend fills; the run delivers to no other one. */
  resendTo?: string
}

export async function insertRuns(tx: ProjectDb, installationId: string, runs: NewRun[]): Promise<void> {
  if (runs.length === 0) return
  await tx.sql
    .insertInto('read_runs')
    .values(
      runs.map((run) => ({
        project_id: tx.projectId,
        operation_id: run.operationId,
        installation_id: installationId,
        object_name: run.objectName,
        kind: run.kind,
        since: run.since,
        until: run.until,
        ...(run.page !== undefined && { page: run.page, pages: run.pages ?? 0, records: run.records ?? 0 }),
        ...(run.resendTo !== undefined && { resend_to: run.resendTo }),
      })),
    )
    .execute()
}

/** Runs are work: due at `next_attempt_at`, deleted when their operation ends. */
export const readRuns: WorkTable<ReadRunRow> = {
  table: 'read_runs',
  key: ['project_id', 'operation_id'],
  due: 'next_attempt_at',
  failures: 'attempt',
}

export type ReadRunRow = Selectable<Tables['read_runs']>

/**
 * Claims due runs of all projects, those first that have been due longest. Of one object, at most one run is leased,
 * and only the oldest due one may be claimed. (One that waits after an error lets others pass.) So two nodes that claim
 * at the same time do not read the same object.
 *
 * A scheduled run that waited gets its window now: from the mark of the object to this moment, less what may still
 * become visible.
 */
export function claimDueRuns(
  { database, work }: { database: Pick<Database, 'system'>; work: Work },
  limit: number,
): Promise<Lease<ReadRunRow>[]> {
  const mark = sql`(select high_water_mark from read_states as state
    where state.project_id = work.project_id and state.installation_id = work.installation_id
      and state.object_name = work.object_name)`
  const isNew = sql`work.kind = 'scheduled' and work.until is null`
  return work.claimAll(database.system, readRuns, {
    where: sql`not exists (
      select from read_runs as other
       where other.project_id = work.project_id and other.installation_id = work.installation_id
         and other.object_name = work.object_name and other.operation_id <> work.operation_id
         and (other.lease_until > now()
           or (other.next_attempt_at <= ${work.now()}
             and (other.create_time, other.operation_id) < (work.create_time, work.operation_id))))`,
    order: sql`work.next_attempt_at`,
    limit,
    set: sql`since = case when ${isNew} then ${mark} else work.since end,
             until = case when ${isNew} then greatest(now() - ${settleMs} * interval '1 ms', ${mark}) else work.until end`,
  })
}

export function toRun(row: ReadRunRow): ReadRun {
  return {
    operationId: row.operation_id,
    kind: row.kind as ReadKind,
    since: row.since ?? undefined,
    until: row.until ?? undefined,
    page: row.page ?? undefined,
    pages: row.pages,
    records: row.records,
    attempt: row.attempt,
    firstErrorAt: row.first_error_at ?? undefined,
    restarts: row.restarts,
    createTime: row.create_time,
    resendTo: row.resend_to ?? undefined,
  }
}

/** How far a run has come since its last pages. */
export interface RunProgress {
  page: string | null
  pages: number
  records: number
  estimated: number | null
}

/** Stores how far a run has come. */
export function advanceRun(tx: ProjectDb, lease: Lease<ReadRunRow>, progress: RunProgress): Promise<void> {
  return lease.advance(tx, progressSet(progress))
}

/**
 * Stores where a run waits. A wait does not count as progress: it does not reset the count of failures. It does show
 * that the provider responds, so the time for which a run retries begins again.
 */
export function noteWait(tx: ProjectDb, lease: Lease<ReadRunRow>, page: string | null): Promise<void> {
  return lease.note(tx, sql`page = ${page}, first_error_at = null`)
}

/** Returns the statement of `advanceRun`, to be part of another one. */
export function advancingRun(
  db: ProjectDb,
  lease: Lease<ReadRunRow>,
  progress: RunProgress,
): ReturnType<typeof lease.advancing> {
  return lease.advancing(db, progressSet(progress))
}

function progressSet(progress: RunProgress) {
  return sql`page = ${progress.page}, pages = work.pages + ${progress.pages}, records = work.records + ${progress.records},
        records_estimated = coalesce(work.records_estimated, ${progress.estimated}::bigint), first_error_at = null`
}

/** Puts a run off; `restart` begins its window again. */
export function postponeRun(
  db: ProjectDb,
  lease: Lease<ReadRunRow>,
  { ms, restart = false, isFailure = false }: { ms: number; restart?: boolean; isFailure?: boolean },
): Promise<void> {
  const set = [
    ...(isFailure ? [sql`first_error_at = coalesce(work.first_error_at, now())`] : []),
    ...(restart ? [sql`page = null, pages = 0, records = 0, restarts = work.restarts + 1`] : []),
  ]
  return lease.postpone(db, { ms, isFailure, ...(set.length > 0 && { set: sql.join(set) }) })
}

/** A run that was deleted. */
export type DeletedRun = Pick<ReadRun, 'operationId' | 'kind' | 'since' | 'until' | 'page'> & {
  installationId: string
  objectName: string
}

const deletedColumns = ['operation_id', 'installation_id', 'object_name', 'kind', 'since', 'until', 'page'] as const

function toDeletedRun(row: Pick<ReadRunRow, (typeof deletedColumns)[number]>): DeletedRun {
  return {
    operationId: row.operation_id,
    installationId: row.installation_id,
    objectName: row.object_name,
    kind: row.kind as ReadKind,
    since: row.since ?? undefined,
    until: row.until ?? undefined,
    page: row.page ?? undefined,
  }
}

/** Deletes the waiting runs of objects that are no longer read, and returns them. */
export async function deleteRunsOf(
  tx: ProjectDb,
  installationId: string,
  objectNames: string[],
): Promise<DeletedRun[]> {
  if (objectNames.length === 0) return []
  const rows = await tx.sql
    .deleteFrom('read_runs')
    .where('project_id', '=', tx.projectId)
    .where('installation_id', '=', installationId)
    .where('object_name', 'in', objectNames)
    .returning(deletedColumns)
    .execute()
  return rows.map(toDeletedRun)
}

/** Returns the installations that the resend of a destination reads now, in the order of their ids. */
export async function listResendInstallations(tx: ProjectDb, destinationId: string): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('read_runs')
    .select('installation_id')
    .distinct()
    .where('project_id', '=', tx.projectId)
    .where('resend_to', '=', destinationId)
    .orderBy('installation_id')
    .execute()
  return rows.map((row) => row.installation_id)
}

/** Deletes the runs of the resend of a destination, and returns them. Their workers lose their leases. */
export async function deleteResendRuns(tx: ProjectDb, destinationId: string): Promise<DeletedRun[]> {
  const rows = await tx.sql
    .deleteFrom('read_runs')
    .where('project_id', '=', tx.projectId)
    .where('resend_to', '=', destinationId)
    .returning(deletedColumns)
    .execute()
  return rows.map(toDeletedRun)
}

/** Lists where the runs of installations are. */
export async function listPagesOf(
  tx: ProjectDb,
  installationIds: readonly string[],
): Promise<{ installationId: string; objectName: string; page: string }[]> {
  const rows = await tx.sql
    .selectFrom('read_runs')
    .select(['installation_id', 'object_name', 'page'])
    .where('project_id', '=', tx.projectId)
    .where('installation_id', 'in', installationIds)
    .where('page', 'is not', null)
    .execute()
  return rows.flatMap(({ installation_id: installationId, object_name: objectName, page }) =>
    page === null ? [] : [{ installationId, objectName, page }],
  )
}

/** Counts runs that have not ended, by kind, at most `max` of each. */
export async function countRuns(db: ProjectDb, max: number): Promise<Record<ReadKind, number>> {
  const of = (kind: ReadKind) => sql`(select count(*)::int from (
    select from read_runs where project_id = ${db.projectId} and kind = ${kind} limit ${max}) counted)`
  const { rows } = await sql<Record<ReadKind, number>>`
    select ${of('backfill')} as backfill, ${of('triggered')} as triggered, ${of('scheduled')} as scheduled`.execute(
    db.sql,
  )
  return rows[0] ?? { backfill: 0, triggered: 0, scheduled: 0 }
}
