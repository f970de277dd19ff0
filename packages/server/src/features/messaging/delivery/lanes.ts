import { claimInOrder, type Lane } from '../messages/index.ts'
import type { Attempt } from './attempt.ts'
import { laneMax, leaseSeconds } from './delivery-rules.ts'
import type { DeliveryState } from './delivery-state.ts'

/**
 * Where the next run of a destination continues, while lanes wait that the last one did not reach. A run that always
 * began with the first lane could leave the others waiting without end.
 */
const lastLanes = new Map<string, Lane>()

/** Claims the next messages of a destination in order. */
export async function claimLanes(
  { db, services, target: { id } }: DeliveryState,
  { limit, bytesMax }: { limit: number; bytesMax: number },
) {
  const { claimed, last, isDrained } = await claimInOrder(db, {
    ...{ destinationId: id, token: services.newId(), limit, limitOfLane: laneMax, bytesMax, leaseSeconds },
    after: lastLanes.get(id),
  })
  if (isDrained) lastLanes.delete(id)
  else lastLanes.set(id, last)
  return { claimed, isDrained }
}

/** Looks for the next messages of lanes, after older ones were settled. */
export function continueLanes(state: DeliveryState): void {
  if (state.target.isOrdered && !state.probing && !state.isHalted) state.isDrained = false
}

/** Takes the next message whose lane has none that is being sent, or is in a batch. */
export function takeFree({ ready, sending }: DeliveryState, batch: readonly { lane?: string }[]) {
  const busy = new Set([...sending, ...batch].map(({ lane }) => lane))
  const at = ready.findIndex(({ lane }) => lane === undefined || !busy.has(lane))
  return at < 0 ? undefined : ready.splice(at, 1)[0]
}

/** Releases what waits in the lane of a message that did not arrive, so that nothing overtakes it. */
export function holdLane(state: DeliveryState, lane: string | undefined, attempt: Attempt | undefined): void {
  if (lane === undefined || (attempt && isPast(attempt))) return
  const held = state.ready.filter((message) => message.lane === lane)
  if (held.length === 0) return
  state.ready = state.ready.filter((message) => message.lane !== lane)
  state.released.push(...held)
}

/** Whether nothing of a message is sent again. */
function isPast({ outcome, rejected = [] }: Attempt): boolean {
  return (
    outcome === 'refused' || (outcome === 'delivered' && rejected.every((one) => one.attempt.outcome === 'refused'))
  )
}
