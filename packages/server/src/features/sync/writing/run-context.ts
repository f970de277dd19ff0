import { sql } from 'kysely'
import { backoffMs } from '../../../kernel/backoff.ts'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import type { Lease } from '../../../kernel/work/index.ts'
import { type LogLine, logOperation } from '../../platform/operations/index.ts'
import { callDetails, type ProviderCall } from '../../provider-calls/calls/index.ts'
import { failedAnswer } from './attempt-chunk.ts'
import { chunkLine } from './chunk-line.ts'
import { endWrite } from './end-write.ts'
import { tallied } from './model.ts'
import { advanceRun, type WriteRun, type WriteRunRow } from './run-store.ts'
import type { Chunk, ChunkAnswer } from './send-records.ts'
import type { WriteFailure } from './write-failure.ts'
import type { WriteServices } from './write-services.ts'

/** Backoff after an attempt that failed temporarily. */
const backoff = { firstMs: 1_000, maxMs: 15 * 60_000 }

/** A run that this worker processes. */
export interface RunContext {
  db: ProjectDb
  services: WriteServices
  run: WriteRun
  /** Requests that no log line has yet. */
  calls: ProviderCall[]
  lease: Lease<WriteRunRow>
  /** Aborts when the job must end or the lease is lost. */
  signal: AbortSignal
  log: Logger
}

/** The failure of records that were being sent when their process died. */
export const died: WriteFailure = {
  refusals: [{ message: 'The service ended before the answer of the provider came.' }],
  kind: 'internal',
  scope: 'service',
  write: 'stop',
  mayBeDone: true,
  isPermit: false,
}

/** Puts a run off after a failure. Returns false, and does nothing, if its deadline comes sooner. */
export async function retryLater(
  context: RunContext,
  { retryAfterMs, refusals, isPermit }: Pick<WriteFailure, 'retryAfterMs' | 'refusals' | 'isPermit'>,
  deadline: Date = context.run.deadline,
): Promise<boolean> {
  const { db, services, run, calls } = context
  const ms = retryAfterMs ?? backoffMs(backoff, run.attempt, Math.random())
  if (services.now().getTime() + ms >= deadline.getTime()) return false
  if (!isPermit)
    await logOperation(db, services, run.operationId, {
      severity: 'WARNING',
      msg: `Waits ${Math.ceil(ms / 1000)} s after an error of the provider.`,
      error: refusals.map(({ message }) => message).join(' '),
      ...(calls.length > 0 && { details: callDetails(calls.splice(0)) }),
    })
  await putOff(context, { ms, isFailure: !isPermit })
  return true
}

/** Number of responses in the log. Responses of later records are alike, and a write may have a hundred. */
const answersLogged = 10
const answerCharactersMax = 2_000

/** Stores the outcome of a chunk. The last chunk also ends the write in the same transaction. */
export async function settle(
  context: RunContext,
  chunk: Pick<Chunk, 'type' | 'records'>,
  outcome: ChunkAnswer | WriteFailure,
): Promise<void> {
  const { db, services, run, calls, lease } = context
  const failure = 'refusals' in outcome ? outcome : undefined
  const { results, errors, rawResponse } = 'refusals' in outcome ? failedAnswer(chunk, outcome) : outcome
  if (rawResponse !== undefined && run.position < answersLogged) {
    await logOperation(db, services, run.operationId, {
      severity: 'INFO',
      msg: 'The provider file does not say what a refusal looks like. Check what the provider answered.',
      details: { answer: rawResponse.slice(0, answerCharactersMax).toWellFormed() },
    })
  }
  const tally = tallied(run, chunk.records, results, errors)
  const line = chunkLine(run.position, results, calls.splice(0), services.now())
  const position = run.position + chunk.records.length
  if (position >= run.records || chunk.records.length === 0) {
    Object.assign(run, tally, { position: run.records })
    return end(context, line)
  }
  const job = run.job?.phase === 'declined' ? run.job : undefined
  await advanceRun(db, lease, { ...tally, position, job })
  Object.assign(run, tally, { position, sending: false, attempt: 0, job })
  // After the position: records that are written are not sent again because a line could not be stored.
  await logOperation(db, services, run.operationId, line)
  // Later records would fail the same way. They were not sent, so their outcome is known.
  if (failure && failure.write !== 'next' && !failure.mayBeDone) await settleRest(context, failure)
}

/** Ends a run with one failure for all records that have no outcome yet. */
export async function settleRest(context: RunContext, failure: WriteFailure): Promise<void> {
  const { run } = context
  const records = Array.from({ length: run.records - run.position }, () => ({ record: {} }))
  const { results } = failedAnswer({ type: run.type, records }, failure)
  Object.assign(run, tallied(run, records, results, []), { position: run.records })
  await end(context)
}

async function end({ db, services, run, lease }: RunContext, ...lines: LogLine[]): Promise<void> {
  await endWrite(db, services, run, lease, { tally: run, attempts: run.attempt, lines })
}

/**
 * Postpones a run. No record of the current chunk has been written now. What a process that died may have sent stays
 * unknown.
 */
export async function putOff({ db, run, lease }: RunContext, wait: { ms: number; isFailure: boolean }): Promise<void> {
  await lease.postpone(db, { ...wait, set: sql`sending = ${run.sending}` })
}
