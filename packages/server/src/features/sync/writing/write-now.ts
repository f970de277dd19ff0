import type { BatchRecordResult, Connector, WriteRefusal } from '@mortise/providers'
import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { keepLeases, type Lease, LeaseLost } from '../../../kernel/work/index.ts'
import type { LogLine } from '../../platform/operations/index.ts'
import type { OpenedConnection, ProviderCall } from '../../provider-calls/calls/index.ts'
import { attemptChunk, failedAnswer } from './attempt-chunk.ts'
import { chunkLine } from './chunk-line.ts'
import { endWrite } from './end-write.ts'
import { nothingYet, type PreparedWrite, tallied } from './model.ts'
import type { WriteRunRow } from './run-store.ts'
import { chunkSize } from './send-records.ts'
import type { WriteServices } from './write-services.ts'

export interface WrittenNow {
  results: BatchRecordResult[]
  errors: WriteRefusal[]
  /**
   * The provider's last refusal as received, otherwise its first response that its file does not distinguish from one.
   */
  rawResponse?: string
  /** Time after which a retry may succeed. */
  retryAfterMs?: number
  /** How long the provider asked all requests of the connection to wait. */
  connectionWaitMs?: number
  /** The provider refuses the credential of the connection. */
  isCredentialRefused?: boolean
}

/**
 * Writes while the caller waits. Retries nothing, except for the connector's own retry with a renewed token. Finishes
 * the write and ends its operation even if the caller disconnects.
 */
export async function writeNow(work: {
  db: ProjectDb
  services: WriteServices
  log: Logger
  connector: Connector
  connection: OpenedConnection
  /** Gets the requests of the connector. */
  calls: ProviderCall[]
  installationId: string
  lease: Lease<WriteRunRow>
  write: PreparedWrite
}): Promise<WrittenNow> {
  const { db, services, log, connection, installationId, lease, write } = work
  const { operation_id: operationId } = lease.row
  return keepLeases(db, [lease], new AbortController().signal, async () => {
    const lines: LogLine[] = []
    const written = await sendAll({ ...work, operationId, lines })
    if (written.answered) await connection.succeeded()
    if (written.connectionWaitMs !== undefined) await connection.waitFor(written.connectionWaitMs)
    const run = { operationId, installationId, mode: 'synchronous' as const, ...write }
    const tally = tallied(nothingYet, write.records, written.results, written.errors)
    try {
      await endWrite(db, services, run, lease, { tally, lines })
    } catch (error) {
      // The records are written even if storing the operation fails, so the caller gets the result.
      if (!(error instanceof LeaseLost)) log.error({ err: error, operationId }, 'failed to store the result of a write')
    }
    return written
  })
}

async function sendAll({
  connector,
  services,
  calls,
  log,
  lines,
  operationId,
  write,
}: {
  connector: Connector
  services: WriteServices
  calls: ProviderCall[]
  log: Logger
  /** Gets a line for each chunk. */
  lines: LogLine[]
  operationId: string
  write: PreparedWrite
}): Promise<WrittenNow & { answered: boolean }> {
  const size = chunkSize(connector, write)
  const written: WrittenNow & { answered: boolean } = { results: [], errors: [], answered: false }
  for (let from = 0; from < write.records.length; from += size) {
    const records = write.records.slice(from, from + size)
    const chunk = { ...write, records, idempotencyKey: chunkKey(operationId, from, size) }
    const { answer, failure } = await attemptChunk(connector, chunk, { log })
    const { results } = answer ?? failedAnswer(chunk, failure)
    lines.push(chunkLine(from, results, calls.splice(0), services.now()))
    written.results.push(...results)
    if (answer) {
      written.answered = true
      written.errors.push(...answer.errors)
      if (answer.rawResponse !== undefined) written.rawResponse ??= answer.rawResponse
      continue
    }
    const rawResponse = failure.rawResponse?.()
    if (rawResponse !== undefined) written.rawResponse = rawResponse
    if (failure.scope === 'credential') written.isCredentialRefused = true
    if (failure.connectionWaitMs !== undefined) written.connectionWaitMs = failure.connectionWaitMs
    if (failure.write === 'next') continue
    if (failure.write === 'retry' && failure.retryAfterMs !== undefined) written.retryAfterMs = failure.retryAfterMs
    // Records that were not sent have a known outcome: they were not written.
    const rest = { type: write.type, records: write.records.slice(from + size) }
    written.results.push(...failedAnswer(rest, { ...failure, mayBeDone: false }).results)
    break
  }
  return written
}

/** Returns the idempotency key of records of an operation, the same for each attempt. */
export function chunkKey(operationId: string, from: number, size: number): string {
  return from === 0 ? operationId : `${operationId}-${from / size}`
}
