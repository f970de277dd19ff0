import { findDeliveryTarget } from '../destinations/index.ts'
import { claimMessages, isCollected } from '../messages/index.ts'
import { batchBytesMax, batchMax, leaseSeconds, settlementMax } from './delivery-rules.ts'
import { type DeliveryState, replaceTarget } from './delivery-state.ts'
import { claimSequences } from './sequences.ts'
import { isLingering } from './take-over.ts'

/** How soon a worker looks again for what was posted meanwhile. */
export const lookAgainMs = 250

/** Whether to claim more. */
export function wantsMore(state: DeliveryState): boolean {
  if (state.probing) return state.claimedAt === 0
  if (state.ready.length >= claimMax(state) || state.ended.length >= settlementMax) return false
  // What arrives meanwhile is collected first. One claim is a batch. Memory holds one more than are being sent.
  if (state.target.collecting !== undefined) return !state.isDrained && state.ready.length === 0
  // Everything was claimed; while the last messages are being sent, another node may have posted more.
  const isActive = state.sending.size > 0 || isLingering(state)
  return !state.isDrained || (isActive && performance.now() - state.claimedAt >= lookAgainMs)
}

function claimMax({ probing, target: { collecting } }: DeliveryState): number {
  return probing ? 1 : (collecting?.count ?? batchMax)
}

/** Claims the next messages, and looks the destination up again: its changes apply from the next batch on. */
export async function claimDue(state: DeliveryState): Promise<void> {
  const { collecting } = state.target
  const limit = claimMax(state)
  const bytesMax = collecting?.bytes ?? batchBytesMax
  const isFirst = state.claimedAt === 0
  state.claimedAt = performance.now()
  state.mustClaim = false
  if (collecting && !state.probing) {
    const isEnough = await isCollected(state.db, { destinationId: state.target.id, ...collecting })
    if (!isEnough) {
      state.isDrained = true
      return
    }
  }
  // It was looked up just before the first batch.
  const [target, { claimed, isDrained }] = await Promise.all([
    isFirst ? state.target : findDeliveryTarget(state.db, state.services, state.target.id),
    state.target.isOrdered ? claimSequences(state, { limit, bytesMax }) : claimNext(state, { limit, bytesMax }),
  ])
  state.ready.push(...claimed)
  state.isDrained = state.probing || (isDrained && !state.mustClaim)
  if (target) replaceTarget(state, target)
  else state.isHalted = true
}

async function claimNext(
  { db, services, target }: DeliveryState,
  { limit, bytesMax }: { limit: number; bytesMax: number },
) {
  const claimed = await claimMessages(db, {
    ...{ destinationId: target.id, token: services.newId(), limit, bytesMax, leaseSeconds },
  })
  const bytes = claimed.reduce((sum, { payload }) => sum + payload.length, 0)
  return { claimed, isDrained: claimed.length < limit && bytes < bytesMax }
}
