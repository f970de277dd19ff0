import { findDeliveryTarget } from '../destinations/index.ts'
import { claimMessages } from '../messages/index.ts'
import { batchBytesMax, batchMax, leaseSeconds, settlementMax } from './delivery-rules.ts'
import { type DeliveryState, replaceTarget } from './delivery-state.ts'
import { isLingering } from './take-over.ts'

/** How soon a worker looks again for what was posted meanwhile. */
export const lookAgainMs = 250

/** Whether to claim more. */
export function wantsMore(state: DeliveryState): boolean {
  if (state.probing) return state.claimedAt === 0
  if (state.ready.length >= batchMax || state.ended.length >= settlementMax) return false
  // Everything was claimed; while the last messages are being sent, another node may have posted more.
  const isActive = state.sending.size > 0 || isLingering(state)
  return !state.isDrained || (isActive && performance.now() - state.claimedAt >= lookAgainMs)
}

/** Claims the next messages, and looks the destination up again: its changes apply from the next batch on. */
export async function claimDue(state: DeliveryState): Promise<void> {
  const limit = state.probing ? 1 : batchMax
  const isFirst = state.claimedAt === 0
  state.claimedAt = performance.now()
  state.mustClaim = false
  const claim = {
    destinationId: state.target.id,
    token: state.services.newId(),
    limit,
    bytesMax: batchBytesMax,
    leaseSeconds,
  }
  // It was looked up just before the first batch.
  const [target, claimed] = await Promise.all([
    isFirst ? state.target : findDeliveryTarget(state.db, state.services, state.target.id),
    claimMessages(state.db, claim),
  ])
  state.ready.push(...claimed)
  const bytes = claimed.reduce((sum, { payload }) => sum + payload.length, 0)
  state.isDrained = state.probing || (claimed.length < limit && bytes < batchBytesMax && !state.mustClaim)
  if (target) replaceTarget(state, target)
  else state.isHalted = true
}
