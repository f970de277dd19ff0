import type { HandoverRun } from '../messages/index.ts'
import { batchBytesMax, batchMax, leaseSeconds, settlementMax } from './delivery-rules.ts'
import type { DeliveryState } from './delivery-state.ts'

/** A run that took messages over waits this long for more before it ends, because the next one would need a job. */
export const lingerMs = 250

/** Maximum number of reservations: each brings the pages of a commit, so this limits the memory. */
const reservedMax = 4

/**
 * Returns how a run takes over messages that this node posts. It does so only while everything that was posted before
 * has been claimed, and while it has little to send: other messages wait in the database, not in memory.
 *
 * @param wake continues the loop of the run
 */
export function takeOver(state: DeliveryState, wake: () => void): HandoverRun {
  return {
    reserve() {
      if (state.isHalted || !state.isDrained || state.reserved >= reservedMax || state.target.isOrdered)
        return undefined
      if (state.ready.length >= batchMax || state.ended.length >= settlementMax) return undefined
      const bytes = state.ready.reduce((sum, { payload }) => sum + payload.length, 0)
      if (bytes >= batchBytesMax) return undefined
      state.reserved++
      return {
        destinationId: state.target.id,
        token: state.services.newId(),
        leaseSeconds,
        end(messages) {
          state.reserved--
          if (messages.length > 0) {
            state.ready.push(...messages)
            state.takenOverAt = performance.now()
          }
          wake()
        },
      }
    },
    claimAgain() {
      state.isDrained = false
      state.mustClaim = true
      wake()
    },
  }
}

/** Whether more messages may soon be taken over. */
export function isLingering({ takenOverAt, isHalted }: DeliveryState): boolean {
  return takenOverAt !== undefined && !isHalted && performance.now() - takenOverAt < lingerMs
}
