import type { Connector } from '@mortise/providers'
import { backoffMs } from '../../../kernel/backoff.ts'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import type { Services } from '../../../services.ts'
import { type OpenedConnection, openConnector, rateLimited, reportUse } from '../../accounts/connections/index.ts'
import { findInstallation } from '../../integrations/installations/index.ts'
import { logOperation } from '../../platform/operations/index.ts'
import { attemptChunk, failedAnswer } from './attempt-chunk.ts'
import { endWrite } from './end-write.ts'
import { holdRun } from './hold-run.ts'
import { LostRun } from './lost-run.ts'
import { tallied } from './model.ts'
import { advanceRun, keepRun, postponeRun, takeRun, type WriteRun } from './run-store.ts'
import { listRecords, openHeaders } from './sealed-records.ts'
import { type Chunk, type ChunkAnswer, chunkSize, isRepeatable } from './send-records.ts'
import { type WriteFailure, writeFailure } from './write-failure.ts'
import { chunkKey } from './write-now.ts'

/** Longer waits for a turn under the provider's rate limit are spent without a slot. */
/** After an attempt that failed for the time being. */
const backoff = { firstMs: 1_000, maxMs: 15 * 60_000 }
const turnInPlaceMs = 5_000

/** One object of one installation: its writes run one after the other, in the order in which they were accepted. */
export interface RunWritesData {
  projectId: string
  installationId: string
  objectName: string
}

/** Works off the due writes of one object, the oldest first; one that waits after an error lets others pass. */
export async function runWritesOf(
  data: RunWritesData,
  services: Services,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const db = services.database.forProject(data.projectId)
  while (!signal.aborted) {
    const fence = services.newId()
    const run = await takeRun(db, data, fence, services.now())
    if (!run) return
    const turn = { db, services, run, fence, signal, log }
    try {
      await holdRun(db, { operationId: run.operationId, fence }, () => oneRun(turn))
    } catch (error) {
      if (!(error instanceof LostRun)) throw error
    }
  }
}

interface Turn {
  db: ProjectDb
  services: Services
  run: WriteRun
  fence: string
  signal: AbortSignal
  log: Logger
}

async function oneRun(turn: Turn): Promise<void> {
  const { run, signal } = turn
  if (run.mode === 'synchronous') return settleRest(turn, died)
  const opened = await open(turn)
  if (!opened) return
  while (run.position < run.records) {
    if (signal.aborted) return putOff(turn, { ms: 0, countsAsError: false })
    const chunk = await nextChunk(turn, opened.connector)
    const outcome = await sendOne(turn, opened, chunk)
    if (outcome === 'later') return
    await settle(turn, chunk, outcome)
  }
}

/** Said of what was under way when its process died. */
const died: WriteFailure = {
  refusals: [{ message: 'The service ended before the answer of the provider came.' }],
  unknown: true,
  retryable: false,
  stops: true,
  unexpected: false,
}

/** The connector of the installation; where there can be none, the run ends. */
async function open(turn: Turn): Promise<{ connector: Connector; connection: OpenedConnection } | undefined> {
  const { db, services, run } = turn
  const installation = await findInstallation(db, run.installationId)
  if (!installation) throw new LostRun()
  try {
    return await openConnector(db, services, installation.connectionId, {
      module: installation.module,
      isPatient: true,
    })
  } catch (error) {
    const failure = writeFailure(error)
    if (failure.unexpected) throw error
    await settleRest(turn, failure)
    return undefined
  }
}

async function nextChunk({ db, services, run }: Turn, connector: Connector): Promise<Chunk> {
  const { operationId, objectName, type, batch, allOrNone, position } = run
  const size = chunkSize(connector, run)
  const records = await listRecords(db, services, operationId, position, size)
  const headers = openHeaders(db, services, operationId, run.sealedHeaders)
  const idempotencyKey = chunkKey(operationId, position, size)
  return { objectName, type, batch, allOrNone, ...(headers && { headers }), records, idempotencyKey }
}

/** Sends one chunk, unless it must not be sent again or has to wait. */
async function sendOne(
  turn: Turn,
  { connector, connection }: { connector: Connector; connection: OpenedConnection },
  chunk: Chunk,
): Promise<ChunkAnswer | WriteFailure | 'later'> {
  const { db, services, run, fence, log } = turn
  const repeatable = isRepeatable(connector, run)
  if (run.sending && !repeatable) return died
  const limitedMs = (connection.rateLimitedUntil?.getTime() ?? 0) - services.now().getTime()
  const turnMs = connection.turnInMs('POST')
  // Short waits for a turn are spent in place.
  const waitMs = turnMs > turnInPlaceMs ? Math.max(limitedMs, turnMs) : limitedMs
  if (waitMs > 0 && services.now().getTime() + waitMs < run.deadline.getTime()) {
    await putOff(turn, { ms: waitMs, countsAsError: false })
    return 'later'
  }
  const { answer, failure } = await attemptChunk(connector, chunk, {
    log,
    async beforeSending() {
      // Known to whoever takes over: this may have been done.
      if (!repeatable && !(await keepRun(db, run.operationId, fence, { sending: true }))) throw new LostRun()
    },
  })
  if (answer) {
    await reportUse(db, services, connection, 'succeeded')
    return answer
  }
  const { retryable, retryAfterMs, connectionWaitMs, unknown, isTurn } = failure
  if (connectionWaitMs !== undefined)
    await rateLimited(db, connection, new Date(services.now().getTime() + connectionWaitMs))
  if (!retryable || (unknown && !repeatable)) return failure
  const ms = retryAfterMs ?? backoffMs(backoff, run.attempt, Math.random())
  if (services.now().getTime() + ms >= run.deadline.getTime()) return { ...failure, stops: true }
  if (isTurn) {
    await putOff(turn, { ms, countsAsError: false })
    return 'later'
  }
  await logOperation(db, services, run.operationId, {
    severity: 'WARNING',
    msg: `Waits ${Math.ceil(ms / 1000)} s after an error of the provider.`,
    error: failure.refusals.map(({ message }) => message).join(' '),
  })
  await putOff(turn, { ms, countsAsError: true })
  return 'later'
}

/** Answers of later records are not logged: they are alike, and a write may have a hundred. */
const answersLogged = 10
const answerCharactersMax = 2_000

/** What is known of a chunk stays known: its outcome commits, and with the last one the end of the write. */
async function settle(turn: Turn, chunk: Chunk, outcome: ChunkAnswer | WriteFailure): Promise<void> {
  const { db, services, run, fence } = turn
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
  const position = run.position + chunk.records.length
  if (position >= run.records || chunk.records.length === 0) {
    Object.assign(run, tally, { position: run.records })
    return end(turn)
  }
  if (!(await advanceRun(db, run.operationId, fence, { ...tally, position }))) throw new LostRun()
  Object.assign(run, tally, { position, sending: false, attempt: 0 })
  // Nothing that follows would fare better; it was not sent, so its outcome is known.
  if (failure?.stops && !failure.unknown) await settleRest(turn, failure)
}

/** Ends a run with one failure for all records that have no outcome yet. */
async function settleRest(turn: Turn, failure: WriteFailure): Promise<void> {
  const { run } = turn
  const records = Array.from({ length: run.records - run.position }, () => ({ record: {} }))
  const { results } = failedAnswer({ type: run.type, records }, failure)
  Object.assign(run, tallied(run, records, results, []), { position: run.records })
  await end(turn)
}

async function end({ db, services, run, fence }: Turn): Promise<void> {
  await endWrite(db, services, run, fence, { tally: run, attempts: run.attempt })
}

async function putOff(
  { db, services, run, fence }: Turn,
  { ms, countsAsError }: { ms: number; countsAsError: boolean },
): Promise<void> {
  const until = new Date(services.now().getTime() + ms)
  await postponeRun(db, run.operationId, fence, { until, countsAsError })
}
