import { breakerFailures } from '../destinations/index.ts'
import type { ClaimedMessage } from '../messages/index.ts'
import { type Attempt, attemptDelivery } from './attempt.ts'
import { unsentDelayMs } from './delivery-rules.ts'
import type { DeliveryState } from './delivery-state.ts'

/** Sends one claimed message and records how the attempt ended. */
export async function sendMessage(state: DeliveryState, message: ClaimedMessage): Promise<void> {
  const { services, db, target, cancel } = state
  if (state.sending.size === 0) state.movedAt = performance.now()
  state.sending.add(message)
  try {
    const attempt = await attemptDelivery(services, target, db.projectId, message, cancel.signal)
    if (attempt.outcome === 'cancelled') state.released.push(message)
    else if (attempt.outcome === 'unsent') leaveForLater(state, message)
    else record(state, message, attempt)
  } finally {
    state.sending.delete(message)
    state.movedAt = performance.now()
  }
}

/** Our own resolver is busy, and would be for the other messages too. It says nothing about the destination. */
function leaveForLater(state: DeliveryState, message: ClaimedMessage): void {
  state.releasedDelayMs = unsentDelayMs
  state.released.push(message)
  state.isHalted = true
  state.isDrained = true
}

function record(state: DeliveryState, message: ClaimedMessage, attempt: Attempt): void {
  const { attempts, attemptDuration } = state.services.metrics
  attempts.inc({ outcome: attempt.outcome === 'delivered' ? 'delivered' : 'failed' })
  attemptDuration.observe(attempt.durationMs / 1_000)
  if (state.ended.length === 0) state.firstEndedAt = performance.now()
  state.ended.push({ message, attempt })
  if (attempt.outcome === 'delivered') {
    state.failuresInARow = 0
    state.delivered++
  } else state.failuresInARow++
  if (attempt.outcome === 'gone' || state.failuresInARow >= breakerFailures) state.isHalted = true
}
