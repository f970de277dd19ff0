import { setTimeout as delay } from 'node:timers/promises'
import { isOfQuery } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { keepLeases, type Lease, LeaseLost } from '../../../kernel/work/index.ts'
import { findInstallation, lockInstallation, refreshHealth } from '../../integrations/installations/index.ts'
import { endOperation, logOperation } from '../../platform/operations/index.ts'
import {
  callDetails,
  classifyFailure,
  type ProviderCall,
  type ProviderFailure,
} from '../../provider-calls/calls/index.ts'
import { endBackfill } from './backfill-store.ts'
import { commitPages } from './commit-pages.ts'
import { checkMissed } from './deletion-checks/check-missed.ts'
import { endedReads, isTriggered } from './ended-reads.ts'
import { consequenceOf, failuresUntilPause, foundText, type ReadRun } from './model.ts'
import { type OpenRead, openRead } from './open-read.ts'
import { PageLog } from './page-log.ts'
import { type PageStream, type StreamedPage, streamPages } from './page-stream.ts'
import { readRequest } from './read-request.ts'
import type { ReadServices } from './read-services.ts'
import { endResendRead } from './resends/resend-read-store.ts'
import { wakeResend } from './resends/resend-store.ts'
import { postponeRun, type ReadRunRow, toRun } from './run-store.ts'
import { advanceMark, countFailure, pauseObjects, storeLastRun } from './state-store.ts'

/** A run waits up to this long in its slot. For a longer wait it is postponed and frees the slot. */
const waitInSlotMs = 5_000
/** Interval at which the run of a resend checks whether its destination is still disabled. */
const whileDisabledMs = 10_000

/** Input of a worker that has the lease of a run. */
export interface LeasedRun {
  services: ReadServices
  lease: Lease<ReadRunRow>
  /** Aborts when the process stops. */
  signal: AbortSignal
  log: Logger
  /** How long the run may keep its slot. Then it yields, so that many long backfills take turns. */
  sliceMs: number
}

/** What a scheduled read did before it became a run: its first pages, or the error that it met. */
export type StartedRead =
  | { read: OpenRead; stream: PageStream; pages: StreamedPage[] }
  | { error: unknown; calls: ProviderCall[] }

/** Processes a run until it ends, waits or yields. Returns `more` when the object may have another run that is due. */
export async function processRun(leased: LeasedRun, started?: StartedRead): Promise<'more' | undefined> {
  const { services, lease, sliceMs } = leased
  const { row } = lease
  const db = services.database.forProject(row.project_id)
  const data = { installationId: row.installation_id, objectName: row.object_name }
  const until = performance.now() + sliceMs
  try {
    const outcome = await keepLeases(db, [lease], leased.signal, (signal) => {
      const run = toRun(row)
      const pageLog = new PageLog(run.pages, services.now)
      const context = { ...leased, db, data, run, pageLog, failedCalls: [], signal, until }
      return started ? continueRun(context, started) : beginRun(context)
    })
    return outcome === 'later' ? undefined : 'more'
  } catch (error) {
    if (error instanceof LeaseLost || leased.signal.aborted) return undefined
    throw error
  }
}

interface RunContext {
  db: ProjectDb
  services: ReadServices
  data: { installationId: string; objectName: string }
  run: ReadRun
  pageLog: PageLog
  /** Requests since the last page, when one of them failed. */
  failedCalls: ProviderCall[]
  lease: Lease<ReadRunRow>
  /** Aborts when the job must end or the lease is lost. */
  signal: AbortSignal
  log: Logger
  /** When to yield the slot, in `performance.now()` terms. */
  until: number
}

type Outcome = 'done' | 'later'

/** Continues a scheduled read that has just become this run. */
async function continueRun(context: RunContext, started: StartedRead): Promise<Outcome> {
  try {
    if ('error' in started) {
      context.failedCalls = started.calls
      throw started.error
    }
    return await readOn(context, started.read, started.stream, started.pages)
  } catch (error) {
    return await afterError(context, error)
  }
}

async function beginRun(context: RunContext): Promise<Outcome> {
  const { db, services, data, run, lease } = context
  try {
    const read = await openRead(db, services, data)
    if (!read) {
      await finish(context, {
        status: 'failure',
        result: 'The object is no longer read by this installation.',
        failed: undefined,
      })
      return 'done'
    }
    if (run.kind === 'scheduled' && read.destinationState === 'disabled') {
      await finish(context, {
        status: 'success',
        result: 'Skipped: the destination is disabled.',
        failed: undefined,
        keepMark: true,
      })
      return 'done'
    }
    if (run.resendTo !== undefined) {
      if (read.destinationId !== run.resendTo) {
        const result = 'The records of the object no longer go to the destination that is filled.'
        await finish(context, { status: 'failure', result, failed: undefined })
        return 'done'
      }
      if (read.destinationState === 'disabled') {
        await postponeRun(db, lease, { ms: whileDisabledMs })
        return 'later'
      }
    }
    const waitMs = read.connection.waitMs('GET')
    if (waitMs > 0) {
      await postponeRun(db, lease, { ms: waitMs })
      return 'later'
    }
    const stream = streamPages(read, readRequest(read, run, context.signal))
    return await readOn(context, read, stream)
  } catch (error) {
    return await afterError(context, error)
  }
}

/** Reads from the current position of the run to its end, or to the end of the slice. */
async function readOn(
  context: RunContext,
  read: OpenRead,
  stream: PageStream,
  taken?: StreamedPage[],
): Promise<Outcome> {
  const { db, services, run, signal } = context
  let records = run.records
  let hasWarned = records > 0
  let isOver = false
  try {
    for (let next = taken; ; next = undefined) {
      const pages = next ?? (await stream.take())
      const last = pages.at(-1)
      if (!last && isOver) {
        await logOperation(db, services, run.operationId, ...context.pageLog.take())
        // Due now, so after all runs that were due before.
        await postponeRun(db, context.lease, { ms: 0 })
        return 'done'
      }
      if (!last) throw new Error('the provider ended without a last page')
      signal.throwIfAborted()
      if (run.records === 0 && records === 0) await read.connection.succeeded()
      records = await commitPages({ db, services, run, lease: context.lease, read, pages, log: context.pageLog })
      if (read.destinationState === 'missing' && records > 0 && !hasWarned) {
        hasWarned = true
        await logOperation(db, services, run.operationId, {
          severity: 'WARNING',
          msg: `The destination ${read.destination} does not exist. The messages wait until you create it.`,
        })
      }
      if (last.nextPage === undefined) {
        if (read.onRequest && records > 0)
          await logOperation(db, services, run.operationId, {
            severity: 'INFO',
            msg: 'The pages wait until you request them.',
          })
        // A backfill has nothing to delete.
        const missed = run.kind === 'backfill' ? undefined : last.missedDeletions
        if (missed !== undefined) await checkMissed(context, read, missed)
        const result = `${foundText(records)}${missed === undefined ? '' : '. Deletions may be missing'}`
        await finish(context, { status: 'success', result, failed: undefined, records })
        return 'done'
      }
      if (last.waitMs !== undefined) {
        await logOperation(db, services, run.operationId, ...context.pageLog.take())
        await postponeRun(db, context.lease, { ms: last.waitMs })
        return 'later'
      }
      if (!isOver && performance.now() > context.until) {
        // Pages that were read ahead are still committed, so that the provider does not send them twice.
        isOver = true
        await stream.stop()
      }
    }
  } catch (error) {
    context.failedCalls = read.calls.splice(0)
    throw error
  } finally {
    await stream.stop()
  }
}

async function afterError(context: RunContext, error: unknown): Promise<Outcome> {
  const { db, services, data, run, lease, signal, log } = context
  if (error instanceof LeaseLost || signal.aborted) throw error
  const failure = classifyFailure(error)
  const consequence = consequenceOf(failure, run, services.now(), Math.random())
  if (consequence.kind === 'wait' && consequence.why === 'permit') {
    // Not a failure: other requests use the provider's rate limit.
    await logOperation(db, services, run.operationId, ...context.pageLog.take())
    await postponeRun(db, lease, { ms: consequence.ms })
    return 'later'
  }
  logFailure(log, failure, { operationId: run.operationId, consequence })
  await logOperation(db, services, run.operationId, ...context.pageLog.take(), {
    severity: consequence.kind === 'fail' ? 'ERROR' : 'WARNING',
    msg:
      consequence.kind === 'wait'
        ? `Waits ${Math.ceil(consequence.ms / 1000)} s after an error of the provider.`
        : 'The read met an error.',
    error: failure.sentence,
    ...(context.failedCalls.length > 0 && { details: callDetails(context.failedCalls) }),
  })
  if (consequence.kind === 'fail') {
    await finish(context, {
      status: 'failure',
      result: `Error reading from provider: ${consequence.reason}`,
      failed: consequence.reason,
      credentials: consequence.credentials,
      isEndless: failure.kind === 'endless_pages' || failure.kind === 'list_truncated',
    })
    return 'done'
  }
  const ms = consequence.kind === 'wait' ? consequence.ms : 0
  const limited = consequence.kind === 'wait' && consequence.why === 'rate-limit'
  if (limited) {
    const read = await openRead(db, services, data)
    await read?.connection.waitFor(ms)
  }
  await postponeRun(db, lease, { ms, restart: consequence.kind === 'restart', isFailure: !limited })
  if (ms > waitInSlotMs || performance.now() > context.until) return 'later'
  await delay(ms + 10, undefined, { signal }).catch(() => undefined)
  return 'done'
}

/** Logs expected errors of the provider or the network as such, and any other as a fault of Mortise. */
function logFailure(log: Logger, { scope, error }: ProviderFailure, facts: object): void {
  if (scope === 'service') log.error({ ...facts, err: error }, 'unexpected error during a read')
  else log.info({ ...facts, err: error }, 'provider error during a read')
}

/**
 * Ends a run, its operation and what depends on them, in one transaction. Deletes the run last: a claim that locks the
 * read state finds the run, and never waits for its deletion.
 */
async function finish(
  context: RunContext,
  end: {
    status: 'success' | 'failure'
    result: string
    failed: string | undefined
    credentials?: boolean
    /** The page token of the run leads nowhere, so the run can only start from the beginning. */
    isEndless?: boolean
    records?: number
    keepMark?: boolean
  },
): Promise<void> {
  const { db, services, data, run, lease, pageLog } = context
  const { installationId, objectName } = data
  const records = end.records ?? run.records
  const lines = [...pageLog.take(), lastLine(run, end)]
  await db.transaction(async (tx) => {
    // First, in the same order as every transaction that changes more than the run. Otherwise this could deadlock with
    // a deletion of the installation.
    await lockInstallation(tx, installationId)
    if (run.kind === 'backfill' && run.resendTo === undefined)
      await endBackfill(tx, run.operationId, {
        records,
        done: end.status === 'success',
        error: end.failed,
        keepsPage: end.isEndless !== true && !(run.page !== undefined && isOfQuery(run.page)),
      })
    await endOperation(tx, run.operationId, {
      status: end.status,
      result: `[${objectName}] ${end.result}`,
      metadata: {
        progress: { installationId, objectName, operationId: run.operationId, recordsProcessed: records },
        ...(end.failed !== undefined && { retry: { attempts: run.attempt + 1 } }),
      },
    })
    if (end.status === 'success' && !end.keepMark) {
      // A triggered read and a resend cover their own window and do not advance the schedule.
      const moves = run.kind !== 'triggered' && run.resendTo === undefined
      await advanceMark(tx, services, data, moves ? (run.until ?? null) : null)
    }
    if (run.kind === 'scheduled') await storeLastRun(tx, installationId, objectName, run.createTime, end.status)
    await logOperation(tx, services, run.operationId, ...lines)
    if (end.failed !== undefined) {
      const failures = await countFailure(tx, installationId, objectName, end.failed)
      const isPaused = end.credentials && (await isRefused(tx, installationId))
      const reason = isPaused ? 'credentials' : failures >= failuresUntilPause ? 'failures' : undefined
      const paused = reason === undefined ? [] : await pauseObjects(tx, installationId, reason, [objectName])
      if (reason !== undefined && paused.length > 0)
        await services.hooks.readsPaused(tx, [{ installationId, objectNames: paused, reason, error: end.failed }])
    }
    if (end.failed !== undefined || run.kind === 'backfill') await refreshHealth(tx, { installationId })
    const error = end.status === 'failure' ? (end.failed ?? end.result) : undefined
    const reported = end.failed === undefined && end.status === 'failure' ? [run].filter(isTriggered) : [run]
    const ended = reported.map((one) => ({ ...one, objectName }))
    await services.hooks.readsEnded(tx, endedReads(installationId, ended, error))
    if (run.resendTo !== undefined) await endResendRead(tx, run.operationId, { records, error })
    await lease.finish(tx)
  })
  if (run.resendTo !== undefined) await wakeResend(db, run.resendTo)
  const counted = { reads: 1, failedReads: end.failed === undefined ? 0 : 1 }
  services.counts.add({ projectId: db.projectId, installationId, objectName }, counted)
}

/**
 * Whether the provider still refuses the credential. An account that was connected again meanwhile has ended such
 * pauses, and nothing would end another one.
 */
async function isRefused(tx: ProjectDb, installationId: string): Promise<boolean> {
  return (await findInstallation(tx, installationId))?.row.status === 'bad_credentials'
}

function lastLine(
  { kind, since, until }: ReadRun,
  { status, result }: { status: 'success' | 'failure'; result: string },
) {
  return {
    severity: status === 'success' ? ('INFO' as const) : ('ERROR' as const),
    msg: result,
    details: {
      kind,
      ...(since && { since: since.toISOString() }),
      ...(until && { until: until.toISOString() }),
    },
  }
}
