import type { Connector } from '@mortise/providers'
import { sql } from 'kysely'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { keepLeases, LeaseLost } from '../../../kernel/work/index.ts'
import { findInstallation } from '../../integrations/installations/index.ts'
import { type OpenedConnection, openConnector } from '../../provider-calls/calls/index.ts'
import { attemptChunk } from './attempt-chunk.ts'
import { listRecords, openHeaders } from './encrypted-records.ts'
import type { RunWritesData } from './job-references.ts'
import { died, putOff, type RunContext, retryLater, settle, settleRest } from './run-context.ts'
import { claimRun, toRun } from './run-store.ts'
import { type Chunk, type ChunkAnswer, chunkSize, isRepeatable } from './send-records.ts'
import { writeByJob } from './write-by-job.ts'
import { type WriteFailure, writeFailure } from './write-failure.ts'
import { chunkKey } from './write-now.ts'
import type { WriteServices } from './write-services.ts'

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

async function processRun(context: RunContext): Promise<void> {
  const { run, signal } = context
  if (run.mode === 'synchronous') return settleRest(context, died)
  const opened = await open(context)
  if (!opened) return
  while (run.position < run.records) {
    // Unsettled runs are released.
    if (signal.aborted) return
    const byJob = await writeByJob(context, opened)
    if (byJob === 'later' || byJob === 'ended') return
    if (byJob === 'written') continue
    const chunk = await nextChunk(context, opened.connector)
    const outcome = await sendOne(context, opened, chunk)
    if (outcome === 'later') return
    await settle(context, chunk, outcome)
  }
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
