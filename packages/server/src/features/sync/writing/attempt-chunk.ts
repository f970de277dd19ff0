import type { Connector } from '@mortise/providers'
import { LeaseLost } from '../../../kernel/work/index.ts'
import { type Chunk, type ChunkAnswer, sendChunk, withoutFilled } from './send-records.ts'
import { unknownOutcome, type WriteFailure, writeFailure } from './write-failure.ts'

export type Attempt = { answer: ChunkAnswer; failure?: never } | { failure: WriteFailure; answer?: never }

/**
 * Sends one chunk. Returns its outcome, also of a failure, instead of throwing.
 *
 * @param beforeSending runs right before a request that may change the provider's records
 * @throws LeaseLost
 */
export async function attemptChunk(
  connector: Connector,
  chunk: Chunk,
  { log, beforeSending }: { log: { error(fields: object, text: string): void }; beforeSending?: () => Promise<void> },
): Promise<Attempt> {
  let sent = false
  try {
    const ready = await withoutFilled(connector, chunk)
    await beforeSending?.()
    sent = true
    return { answer: await sendChunk(connector, ready) }
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    const failure = writeFailure(error)
    if (failure.scope === 'service') log.error({ err: error }, 'unexpected error during a write')
    return { failure: { ...failure, mayBeDone: failure.mayBeDone && sent } }
  }
}

/** Returns an answer for a failed chunk: no record was written, or the outcome of each is unknown. */
export function failedAnswer({ type, records }: Pick<Chunk, 'type' | 'records'>, failure: WriteFailure): ChunkAnswer {
  const errors = failure.mayBeDone ? unknownOutcome(type, failure.refusals) : failure.refusals
  return { results: records.map(() => ({ success: false, errors })), errors: [] }
}
