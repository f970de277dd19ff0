import { claimInOrder, type Sequence } from '../messages/index.ts'
import type { Attempt } from './attempt.ts'
import { leaseSeconds, sequenceMax } from './delivery-rules.ts'
import type { DeliveryState } from './delivery-state.ts'

/**
 * Where the next run of a destination continues, while sequences wait that the last one did not reach. A run that
 * always began with the first sequence could leave the others waiting without end.
 */
const lastSequences = new Map<string, Sequence>()

/** Claims the next messages of a destination in order. */
export async function claimSequences(
  { db, services, target: { id } }: DeliveryState,
  { limit, bytesMax }: { limit: number; bytesMax: number },
) {
  const { claimed, last, isDrained } = await claimInOrder(db, {
    ...{ destinationId: id, token: services.newId(), limit, limitOfSequence: sequenceMax, bytesMax, leaseSeconds },
    after: lastSequences.get(id),
  })
  if (isDrained) lastSequences.delete(id)
  else lastSequences.set(id, last)
  return { claimed, isDrained }
}

/** Looks for the next messages of sequences, after older ones were settled. */
export function continueSequences(state: DeliveryState): void {
  if (state.target.isOrdered && !state.probing && !state.isHalted) state.isDrained = false
}

/** Takes the next message whose sequence has none that is being sent, or is in a batch. */
export function takeFree({ ready, sending }: DeliveryState, batch: readonly { sequence?: string }[]) {
  const busy = new Set([...sending, ...batch].map(({ sequence }) => sequence))
  const at = ready.findIndex(({ sequence }) => sequence === undefined || !busy.has(sequence))
  return at < 0 ? undefined : ready.splice(at, 1)[0]
}

/** Releases what waits in the sequence of a message that did not arrive, so that nothing overtakes it. */
export function holdSequence(state: DeliveryState, sequence: string | undefined, attempt: Attempt | undefined): void {
  if (sequence === undefined || (attempt && isPast(attempt))) return
  const held = state.ready.filter((message) => message.sequence === sequence)
  if (held.length === 0) return
  state.ready = state.ready.filter((message) => message.sequence !== sequence)
  state.released.push(...held)
}

/** Whether nothing of a message is sent again. */
function isPast({ outcome, rejected = [] }: Attempt): boolean {
  return (
    outcome === 'refused' || (outcome === 'delivered' && rejected.every((one) => one.attempt.outcome === 'refused'))
  )
}
