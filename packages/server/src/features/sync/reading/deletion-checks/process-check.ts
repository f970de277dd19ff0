import { sql } from 'kysely'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { keepLeases, type Lease, LeaseLost } from '../../../../kernel/work/index.ts'
import { lockInstallation } from '../../../integrations/installations/index.ts'
import { beginOperation, endOperation, logOperation } from '../../../platform/operations/index.ts'
import { classifyFailure } from '../../../provider-calls/calls/index.ts'
import { consequenceOf } from '../model.ts'
import { nextRun } from '../next-run.ts'
import { findReadTarget, type OpenRead, openTarget, type ReadTarget } from '../open-read.ts'
import type { ReadServices } from '../read-services.ts'
import type { CheckContext } from './check-context.ts'
import { type CheckRow, isPaused } from './check-store.ts'
import { compareLists, sortDelivered } from './compare-ids.ts'
import { deleteParts, type ObjectKey, restoreGone } from './id-store.ts'
import { listIds } from './list-ids.ts'
import { reportDeletions } from './report-deletions.ts'

/** Input of a worker that has the lease of a check. */
export interface LeasedCheck {
  services: ReadServices
  lease: Lease<CheckRow>
  /** Aborts when the process stops. */
  signal: AbortSignal
  log: Logger
  /** How long the check may keep its slot. Then it yields, so that many long lists take turns. */
  sliceMs: number
}

/**
 * Processes a check until it ends, waits or yields. Every step is stored, so that a check continues in any process:
 * `sort` sorts what reads have delivered, `list` lists what the provider has, `compare` finds what is missing, and
 * `report` delivers what was deleted.
 */
export async function processCheck(leased: LeasedCheck): Promise<undefined> {
  const { services, lease } = leased
  const db = services.database.forProject(lease.row.project_id)
  try {
    await keepLeases(db, [lease], leased.signal, (signal) => process({ ...leased, db, signal }))
  } catch (error) {
    if (!(error instanceof LeaseLost) && !leased.signal.aborted) throw error
  }
}

type Check = LeasedCheck & { db: ProjectDb }

async function process(check: Check): Promise<void> {
  const { db, services, lease, signal } = check
  const key = { installationId: lease.row.installation_id, objectName: lease.row.object_name }
  const target = await findReadTarget(db, key)
  if (!target) return lease.complete(db, { due: nextCheck(services, lease.row) })
  // A check that has begun, or was triggered, continues while scheduled reads are paused.
  const isNew = lease.row.operation_id === null
  const isLeftOut = isNew && (target.destinationState === 'disabled' || (await isPaused(db, key)))
  if (isLeftOut && (await skip(check))) return
  const row = await begin(check, target)
  const { operation_id: operationId } = row
  if (operationId === null) throw new Error('a check that has begun has an operation')
  const until = performance.now() + check.sliceMs
  let read: OpenRead | undefined
  try {
    read = await openTarget(db, services, target)
    const waitMs = read.connection.waitMs('GET')
    if (waitMs > 0) return await lease.postpone(db, { ms: waitMs, isFailure: false })
    const outcome = await takeSteps({ db, services, lease, key, operationId, read, signal, until }, row)
    if (outcome !== 'done') await lease.postpone(db, { ms: outcome.waitMs, isFailure: false })
  } catch (error) {
    if (error instanceof LeaseLost || signal.aborted) throw error
    await afterError(check, { key, operationId, row, read }, error)
  }
}

async function takeSteps(context: CheckContext, from: CheckRow): Promise<'done' | { waitMs: number }> {
  let row = from
  if (row.phase === 'sort') {
    await sortDelivered(context)
    row = { ...row, phase: 'list' }
  }
  if (row.phase === 'list') {
    const listed = await listIds(context, row.page)
    if (listed !== 'done') return listed
    await context.read.connection.succeeded()
    row = { ...row, phase: 'compare' }
  }
  if (row.phase === 'compare') row = await compareLists(context, row)
  await reportDeletions(context, row)
  await finish(context, { status: 'success' })
  return 'done'
}

/** Leaves out this round: nobody reads the object now. Returns false if the check was triggered since its claim. */
async function skip({ db, services, lease }: Check): Promise<boolean> {
  return db.transaction(async (tx) => {
    const row = await lease.lock(tx)
    if (row.operation_id !== null) return false
    await lease.complete(tx, { due: nextCheck(services, row) })
    return true
  })
}

/** Begins the operation of a check that has none, and its first step. */
async function begin({ db, services, lease }: Check, { installation, object }: ReadTarget): Promise<CheckRow> {
  if (lease.row.phase !== null) return lease.row
  return db.transaction(async (tx) => {
    // First, in the same order as every transaction that changes more than the check.
    await lockInstallation(tx, installation.id)
    // It may have been triggered since its claim.
    const row = await lease.lock(tx)
    const operationId = row.operation_id ?? services.newId()
    if (row.operation_id === null) await beginOperation(tx, operationOf(operationId, installation, object))
    const begun = sql`operation_id = ${operationId}, phase = 'sort', restarts = 0, begin_time = ${services.now()}`
    await lease.advance(tx, begun)
    return lease.lock(tx)
  })
}

/** Returns the operation of a check, for `beginOperation`. */
export function operationOf(
  id: string,
  installation: Pick<ReadTarget['installation'], 'id' | 'integrationId' | 'configId'>,
  { objectName }: { objectName: string },
) {
  return {
    id,
    integrationId: installation.integrationId,
    installationId: installation.id,
    configId: installation.configId,
    actionType: 'read' as const,
    readType: 'scheduled' as const,
    resource: objectName,
    metadata: { objects: [objectName], deletions: true },
  }
}

interface Begun {
  key: ObjectKey
  operationId: string
  row: CheckRow
  read: OpenRead | undefined
}

async function afterError(check: Check, { key, operationId, row, read }: Begun, error: unknown): Promise<void> {
  const { db, services, lease, log } = check
  const failure = classifyFailure(error)
  const { attempt, restarts } = row
  const run = { kind: 'backfill' as const, attempt, restarts, firstErrorAt: row.first_error_at ?? undefined }
  const consequence = consequenceOf(failure, run, services.now(), Math.random())
  if (consequence.kind === 'wait' && consequence.why === 'permit')
    return lease.postpone(db, { ms: consequence.ms, isFailure: false })
  const facts = { operationId, consequence, err: error }
  if (failure.scope === 'service') log.error(facts, 'unexpected error during a check for deletions')
  else log.info(facts, 'provider error during a check for deletions')
  if (consequence.kind === 'fail')
    return finish({ db, services, lease, key, operationId }, { status: 'failure', error: consequence.reason })
  await logOperation(db, services, operationId, {
    severity: 'WARNING',
    msg:
      consequence.kind === 'wait'
        ? `Waits ${Math.ceil(consequence.ms / 1000)} s after an error of the provider.`
        : 'The list starts again after an error of the provider.',
    error: failure.sentence,
  })
  if (consequence.kind === 'restart') {
    await db.transaction(async (tx) => {
      await deleteParts(tx, key, ['listed'])
      await lease.postpone(tx, {
        ms: 0,
        isFailure: true,
        set: sql`page = null, listed = 0, restarts = work.restarts + 1`,
      })
    })
    return
  }
  const isLimited = consequence.why === 'rate-limit'
  if (isLimited) await read?.connection.waitFor(consequence.ms)
  const set = isLimited ? undefined : sql`first_error_at = coalesce(work.first_error_at, now())`
  await lease.postpone(db, { ms: consequence.ms, isFailure: !isLimited, ...(set && { set }) })
}

/** Ends a check and its operation. What a failed check has listed is deleted; what was delivered stays known. */
async function finish(
  { db, services, lease, key, operationId }: Pick<CheckContext, 'db' | 'services' | 'lease' | 'key' | 'operationId'>,
  end: { status: 'success' } | { status: 'failure'; error: string },
): Promise<void> {
  const error = end.status === 'failure' ? end.error : null
  await db.transaction(async (tx) => {
    await lockInstallation(tx, key.installationId)
    const row = await lease.lock(tx)
    const result = error === null ? foundText(row) : `Error reading from provider: ${error}`
    if (error !== null) {
      await deleteParts(tx, key, ['listed'])
      await restoreGone(tx, key)
    }
    await endOperation(tx, operationId, { status: end.status, result: `[${key.objectName}] ${result}` })
    await logOperation(tx, services, operationId, {
      severity: error === null ? 'INFO' : 'ERROR',
      msg: result,
      details: { kind: 'deletions', listed: `${row.listed}`, missing: `${row.missing}`, deleted: `${row.deleted}` },
    })
    await lease.complete(tx, {
      due: nextCheck(services, row),
      set: sql`operation_id = null, phase = null, page = null, begin_time = null, listed = 0, missing = 0, deleted = 0,
               first_error_at = null, last_check_time = work.begin_time, last_check_status = ${end.status},
               last_error = ${error}, update_time = now()`,
    })
  })
  const { installationId, objectName } = key
  services.counts.add(
    { projectId: db.projectId, installationId, objectName },
    { reads: 1, failedReads: error === null ? 0 : 1 },
  )
}

/** Returns the result of a check that succeeded, for people. */
function foundText({ deleted }: CheckRow): string {
  if (deleted === 0) return 'No deleted records found'
  return `${deleted} deleted ${deleted === 1 ? 'record' : 'records'} found`
}

function nextCheck(services: ReadServices, row: CheckRow): Date {
  const spreadMs = services.config.scheduleSpreadMs
  return nextRun(row.schedule, { after: services.now(), installationId: row.installation_id, spreadMs })
}
