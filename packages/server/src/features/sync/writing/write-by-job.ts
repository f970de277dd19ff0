import type { Connector, WriteJob } from '@mortise/providers'
import { LeaseLost } from '../../../kernel/work/index.ts'
import { logOperation } from '../../platform/operations/index.ts'
import { callDetails, type OpenedConnection } from '../../provider-calls/calls/index.ts'
import { listRecords } from './encrypted-records.ts'
import type { PreparedRecord } from './model.ts'
import { putOff, type RunContext, retryLater, settle, settleRest } from './run-context.ts'
import { noteJob, type WriteJobPosition } from './run-store.ts'
import { unknownOutcome, type WriteFailure, writeFailure } from './write-failure.ts'

type Opened = { connector: Connector; connection: OpenedConnection }
type Step = 'written' | 'later' | 'ended' | 'batches'
type Job = WriteJob & { position: Extract<WriteJobPosition, { id: string }> }

/** Number of times that an incomplete or missing result is requested again. */
const repeatsMax = 5

/** Lines of the log that name refused records. */
const refusedLinesMax = 100

/**
 * Takes the next steps of the provider's job that writes the records from the position of the run on. Returns `batches`
 * if no job writes them.
 *
 * The provider writes nothing before the start of a job. The position `started` is stored before the start is
 * requested, and a job that is not known to have its records is aborted and replaced. So only one job with these
 * records is ever started, and its start is repeated only while the provider says that it waits for it.
 */
export async function writeByJob(context: RunContext, { connector, connection }: Opened): Promise<Step> {
  const { db, services, run, lease, signal } = context
  const job = jobFor(connector, run)
  if (run.job?.phase === 'declined') return 'batches'
  if (job === undefined) {
    if (run.job?.phase !== 'started') return 'batches'
    await settleRest(context, { ...unknown, mayBeDone: true })
    return 'ended'
  }
  const waitMs = connection.waitMs('POST')
  if (waitMs > 0) {
    await putOff(context, { ms: waitMs, isFailure: false })
    return 'later'
  }
  try {
    if (run.job?.phase === 'started') return await followed(run.job)
    if (run.job !== undefined) {
      await job.abort(run.job.id, { signal })
      await noteJob(db, lease, undefined)
      run.job = undefined
    }
    const begun = await begin(context, job)
    if (begun === undefined) {
      run.job = { phase: 'declined' }
      await noteJob(db, lease, run.job)
      await logOperation(db, services, run.operationId, {
        severity: 'INFO',
        msg: 'No job of the provider can write these records. Mortise writes them in batches.',
      })
      return 'batches'
    }
    return await followed(begun)
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    // Unsettled runs are released.
    if (signal.aborted) return 'later'
    return failed(context, { connection, job, failure: writeFailure(error), error })
  }

  async function followed(position: Job['position']): Promise<Step> {
    const step = await follow(context, { ...(job as WriteJob), position })
    await connection.succeeded()
    return step
  }
}

/** The job of such a write, if it is one that a job can do. */
function jobFor(connector: Connector, run: RunContext['run']): WriteJob | undefined {
  const { objectName, type, batch, allOrNone, encryptedHeaders } = run
  if (!batch || allOrNone || type === 'delete' || encryptedHeaders !== undefined) return undefined
  const job = connector.writeJob(objectName, type)
  return job !== undefined && run.records > job.above ? job : undefined
}

/** Creates a job and uploads its records. Returns undefined if no job can write them. */
async function begin({ db, services, run, lease, signal, calls }: RunContext, job: WriteJob) {
  const items = await listRecords(db, services, run.operationId, run.position, job.max)
  // Which of its fields are empty is known only once the record is read.
  if (items.some(({ ifEmpty = [] }) => ifEmpty.length > 0)) return undefined
  const rows = job.rows(items)
  const id = rows && (await job.submit({ signal }))
  if (rows === undefined || id === undefined) return undefined
  const open = { phase: 'open', id, at: services.now().getTime(), count: rows.count } as const
  await noteJob(db, lease, open)
  run.job = open
  if (!(await job.upload(id, rows.text, { signal }))) {
    await job.abort(id, { signal })
    return undefined
  }
  const started = { ...open, phase: 'started' } as const
  await noteJob(db, lease, started)
  Object.assign(run, { job: started, sending: true })
  await logOperation(db, services, run.operationId, {
    severity: 'INFO',
    msg: `The provider’s job ${id} writes ${rows.count} records.`,
    details: callDetails(calls.splice(0)),
  })
  return started
}

/** Starts the job if it was not started, waits for it, or settles its records. */
async function follow(context: RunContext, job: Job): Promise<Step> {
  const { db, services, run, lease, signal } = context
  const { id, at } = job.position
  let state = await job.state(id, { signal })
  const isOverdue = services.now().getTime() - at >= job.maxMs
  if (isOverdue && (state.is === 'waiting' || state.is === 'running')) {
    await job.abort(id, { signal })
    state = await job.state(id, { signal })
    if (state.is === 'waiting' || state.is === 'running') {
      await settleJob(context, job, [], 'The provider’s job did not end in time.')
      return 'written'
    }
  }
  if (state.is === 'waiting') {
    await job.start(id, { signal })
    state = { is: 'running', waitMs: job.everyMs }
  }
  if (state.is === 'running') {
    if (run.attempt > 0) await lease.advance(db)
    await putOff(context, { ms: state.waitMs, isFailure: false })
    return 'later'
  }
  const why = state.is === 'failed' ? state.why : undefined
  const items = await recordsOf(context, job)
  const results = await job.results(id, items, { signal, ...(why !== undefined && { why }) })
  const isComplete = results.every((result) => result !== undefined)
  if (!isComplete && run.attempt < repeatsMax && (await retryLater(context, incomplete, overdueAt(job)))) return 'later'
  await settleJob(context, job, results, why ?? 'The provider’s job did not report the result of this record.', items)
  return 'written'
}

async function settleJob(
  context: RunContext,
  job: Job,
  results: Awaited<ReturnType<WriteJob['results']>>,
  why: string,
  known?: PreparedRecord[],
): Promise<void> {
  const { db, services, run } = context
  const records = known ?? (await recordsOf(context, job))
  const answers = records.map(
    (_, at) => results[at] ?? { success: false, errors: unknownOutcome(run.type, [{ message: why }]) },
  )
  const refused = answers.flatMap(({ success, errors = [] }, at) =>
    success ? [] : [`Record ${run.position + at + 1}: ${errors.map(({ message }) => message).join(' ')}`],
  )
  if (refused.length > 0)
    await logOperation(
      db,
      services,
      run.operationId,
      ...refused.slice(0, refusedLinesMax).map((msg) => ({ severity: 'WARNING' as const, msg })),
    )
  await settle(context, { type: run.type, records }, { results: answers, errors: [] })
}

function recordsOf({ db, services, run }: RunContext, { position }: Job): Promise<PreparedRecord[]> {
  return listRecords(db, services, run.operationId, run.position, position.count)
}

/**
 * Decides what an error of a request means for the job. After its start, records may be written: then only time ends
 * the wait.
 */
async function failed(
  context: RunContext,
  {
    connection,
    job,
    failure,
    error,
  }: { connection: OpenedConnection; job: WriteJob; failure: WriteFailure; error: unknown },
): Promise<Step> {
  const { run, log } = context
  if (failure.scope === 'service')
    log.error({ err: error, operationId: run.operationId }, 'unexpected error of a write job')
  if (failure.connectionWaitMs !== undefined) await connection.waitFor(failure.connectionWaitMs)
  if (run.job?.phase === 'started') {
    const position = { ...job, position: run.job }
    // A job that is deleted at the provider does not come back.
    const isGone = failure.kind === 'not_found' && run.attempt >= repeatsMax
    if (!isGone && (await retryLater(context, failure, overdueAt(position)))) return 'later'
    const [{ message }] = failure.refusals as [{ message: string }]
    await settleJob(context, position, [], message)
    return 'written'
  }
  // Nothing was started, so nothing is written.
  if (failure.write === 'retry' && (await retryLater(context, failure))) return 'later'
  await settleRest(context, { ...failure, mayBeDone: false })
  return 'ended'
}

/** When a job and its result are given up. A result needs some time more than the job. */
function overdueAt({ position, maxMs }: Job): Date {
  return new Date(position.at + maxMs + 3_600_000)
}

const incomplete = {
  refusals: [{ message: 'The result of the provider’s job does not have all records.' }],
  isPermit: false,
}

const unknown: WriteFailure = {
  refusals: [{ message: 'The provider file no longer describes the job that writes these records.' }],
  kind: 'internal',
  scope: 'service',
  write: 'stop',
  mayBeDone: true,
  isPermit: false,
}
