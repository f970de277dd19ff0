import type { Connector } from '@mortise/providers'
import { sql } from 'kysely'
import { backoffMs } from '../../../kernel/backoff.ts'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { keepLeases, type Lease, LeaseLost } from '../../../kernel/work/index.ts'
import { findInstallation } from '../../integrations/installations/index.ts'
import { type LogLine, logOperation } from '../../platform/operations/index.ts'
import {
  callDetails,
  type OpenedConnection,
  openConnector,
  type ProviderCall,
} from '../../provider-calls/calls/index.ts'
import { attemptChunk, failedAnswer } from './attempt-chunk.ts'
import { chunkLine } from './chunk-line.ts'
import { listRecords, openHeaders } from './encrypted-records.ts'
import { endWrite } from './end-write.ts'
import type { RunWritesData } from './job-references.ts'
import { tallied } from './model.ts'
import { advanceRun, claimRun, toRun, type WriteRun, type WriteRunRow } from './run-store.ts'
import { type Chunk, type ChunkAnswer, chunkSize, isRepeatable } from './send-records.ts'
import { type WriteFailure, writeFailure } from './write-failure.ts'
import { chunkKey } from './write-now.ts'
import type { WriteServices } from './write-services.ts'

/** Backoff after an attempt that failed temporarily. */
const backoff = { firstMs: 1_000, maxMs: 15 * 60_000 }

/** Processes the due writes of one object, oldest first. A write that waits after an error lets others pass. */
export async function processWriteRuns(
  data: RunWritesData,
  services: WriteServices,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const db = services.database.forProject(data.projectId)
  while (!signal.aborted) {
    const lease = await claimRun(db, services.work, data)
    if (!lease) return
    const run = toRun(lease.row)
    try {
      await keepLeases(db, [lease], signal, (signal) =>
        processRun({ db, services, run, calls: [], lease, signal, log }),
      )
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
    }
  }
}

interface RunContext {
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

async function processRun(context: RunContext): Promise<void> {
  const { run, signal } = context
  if (run.mode === 'synchronous') return settleRest(context, died)
  const opened = await open(context)
  if (!opened) return
  while (run.position < run.records) {
    // Unsettled runs are released.
    if (signal.aborted) return
    const chunk = await nextChunk(context, opened.connector)
    const outcome = await sendOne(context, opened, chunk)
    if (outcome === 'later') return
    await settle(context, chunk, outcome)
  }
}

/** The failure of records that were being sent when their process died. */
const died: WriteFailure = {
  refusals: [{ message: 'The service ended before the answer of the provider came.' }],
  scope: 'service',
  write: 'stop',
  mayBeDone: true,
  isPermit: false,
}

/**
 * Opens the connector of the installation. If that is impossible, ends the run; after a fault of the service, postpones
 * it.
 */
async function open(context: RunContext): Promise<{ connector: Connector; connection: OpenedConnection } | undefined> {
  const { db, services, run, calls, log } = context
  const installation = await findInstallation(db, run.installationId)
  if (!installation) throw new LeaseLost()
  try {
    return await openConnector(db, services, installation.connectionId, {
      module: installation.module,
      isBackground: true,
      countedFor: { counts: services.counts, installationId: run.installationId, objectName: run.objectName },
      calls,
    })
  } catch (error) {
    const failure = { ...writeFailure(error), mayBeDone: run.sending }
    if (failure.scope === 'service') {
      log.error({ err: error, operationId: run.operationId }, 'unexpected error before a write')
      if (await retryLater(context, failure)) return undefined
    }
    await settleRest(context, failure)
    return undefined
  }
}

async function nextChunk({ db, services, run }: RunContext, connector: Connector): Promise<Chunk> {
  const { operationId, objectName, type, batch, allOrNone, position } = run
  const size = chunkSize(connector, run)
  const records = await listRecords(db, services, operationId, position, size)
  const headers = openHeaders(db, services, operationId, run.encryptedHeaders)
  const idempotencyKey = chunkKey(operationId, position, size)
  return { objectName, type, batch, allOrNone, ...(headers && { headers }), records, idempotencyKey }
}

/** Sends one chunk, unless it must not be sent again or has to wait. */
async function sendOne(
  context: RunContext,
  { connector, connection }: { connector: Connector; connection: OpenedConnection },
  chunk: Chunk,
): Promise<ChunkAnswer | WriteFailure | 'later'> {
  const { db, services, run, lease, log } = context
  const repeatable = isRepeatable(connector, run)
  if (run.sending && !repeatable) return died
  const waitMs = connection.waitMs('POST')
  if (waitMs > 0 && services.now().getTime() + waitMs < run.deadline.getTime()) {
    await putOff(context, { ms: waitMs, isFailure: false })
    return 'later'
  }
  const { answer, failure } = await attemptChunk(connector, chunk, {
    log,
    async beforeSending() {
      // Recorded for a worker that takes over: this chunk may have been written.
      if (!repeatable) await lease.note(db, sql`sending = true`)
    },
  })
  if (answer) {
    await connection.succeeded()
    return answer
  }
  const { write, connectionWaitMs, mayBeDone } = failure
  if (connectionWaitMs !== undefined) await connection.waitFor(connectionWaitMs)
  if (write !== 'retry' || (mayBeDone && !repeatable)) return failure
  return (await retryLater(context, failure)) ? 'later' : { ...failure, write: 'stop' }
}

/** Puts a run off after a failure. Returns false, and does nothing, if its deadline comes sooner. */
async function retryLater(context: RunContext, { retryAfterMs, refusals, isPermit }: WriteFailure): Promise<boolean> {
  const { db, services, run, calls } = context
  const ms = retryAfterMs ?? backoffMs(backoff, run.attempt, Math.random())
  if (services.now().getTime() + ms >= run.deadline.getTime()) return false
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
async function settle(context: RunContext, chunk: Chunk, outcome: ChunkAnswer | WriteFailure): Promise<void> {
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
  await advanceRun(db, lease, { ...tally, position })
  Object.assign(run, tally, { position, sending: false, attempt: 0 })
  // After the position: records that are written are not sent again because a line could not be stored.
  await logOperation(db, services, run.operationId, line)
  // Later records would fail the same way. They were not sent, so their outcome is known.
  if (failure && failure.write !== 'next' && !failure.mayBeDone) await settleRest(context, failure)
}

/** Ends a run with one failure for all records that have no outcome yet. */
async function settleRest(context: RunContext, failure: WriteFailure): Promise<void> {
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
async function putOff({ db, run, lease }: RunContext, wait: { ms: number; isFailure: boolean }): Promise<void> {
  await lease.postpone(db, { ...wait, set: sql`sending = ${run.sending}` })
}
