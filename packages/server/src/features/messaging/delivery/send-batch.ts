import { OldGarbage } from '../../../kernel/old-garbage.ts'
import { breakerFailures } from '../destinations/index.ts'
import type { ClaimedMessage } from '../messages/index.ts'
import { type Attempt, attemptDelivery, isAnswered } from './attempt.ts'
import { unsentDelayMs } from './delivery-rules.ts'
import type { DeliveryState, EndedAttempt } from './delivery-state.ts'
import { holdSequence } from './sequences.ts'

/** What destinations leave behind that wait for large batches. Messages of others die young. */
const garbage = new OldGarbage()

/** Sends claimed messages together and records how the attempt of each ended. */
export async function sendBatch(state: DeliveryState, batch: readonly ClaimedMessage[]): Promise<void> {
  const { services, db, open, cancel } = state
  if (state.sending.size === 0) state.movedAt = performance.now()
  state.batches++
  for (const message of batch) state.sending.add(message)
  try {
    const attempts = await attemptDelivery(services, open, db.projectId, batch, cancel.signal)
    for (const [index, message] of batch.entries()) keep(state, message, attempts[index], open.target.urlChanges)
  } finally {
    state.batches--
    for (const message of batch) state.sending.delete(message)
    state.movedAt = performance.now()
    if (state.target.collecting) garbage.add(batch.reduce((sum, { payload }) => sum + payload.length, 0))
  }
}

/** Queues the result of an attempt. Releases a message without a result, or whose attempt was canceled. */
function keep(state: DeliveryState, message: ClaimedMessage, attempt: Attempt | undefined, urlChanges: number): void {
  holdSequence(state, message.sequence, attempt)
  if (attempt === undefined || attempt.outcome === 'cancelled') state.released.push(message)
  else if (attempt.outcome === 'unsent') leaveForLater(state, message)
  else record(state, { message, attempt, urlChanges })
}

/**
 * Postpones a message, because our own resolver is busy and would be for the other messages too. This says nothing
 * about the destination.
 */
function leaveForLater(state: DeliveryState, message: ClaimedMessage): void {
  state.releasedDelayMs = unsentDelayMs
  state.released.push(message)
  state.isHalted = true
  state.isDrained = true
}

function record(state: DeliveryState, ended: EndedAttempt): void {
  const { attempt, urlChanges } = ended
  const { attempts, attemptDuration } = state.services.metrics
  attempts.inc({ outcome: attempt.outcome === 'delivered' ? 'delivered' : 'failed' })
  attemptDuration.observe(attempt.durationMs / 1_000)
  if (state.ended.length === 0) state.firstEndedAt = performance.now()
  state.ended.push(ended)
  if (urlChanges !== state.target.urlChanges) return
  if (isAnswered(attempt)) {
    state.failuresInARow = 0
    state.answered++
  } else state.failuresInARow++
  if (attempt.outcome === 'gone' || state.failuresInARow >= breakerFailures) state.isHalted = true
}
