import type { ProjectDb } from '../../../kernel/db/index.ts'
import type { Services } from '../../../services.ts'
import type { DeliveryTarget } from '../destinations/index.ts'
import type { ClaimedMessage } from '../messages/index.ts'
import type { Attempt } from './attempt.ts'

export type DeliveryServices = Pick<
  Services,
  | 'database'
  | 'outbound'
  | 'names'
  | 'keyring'
  | 'publicUrl'
  | 'now'
  | 'newId'
  | 'metrics'
  | 'hooks'
  | 'log'
  | 'deliveryRate'
>

/** What the steps of one run share: claim, send and settle work side by side on these messages. */
export interface DeliveryState {
  readonly services: DeliveryServices
  readonly db: ProjectDb
  readonly random: () => number
  /** Sends one message to find out whether the destination is back. */
  readonly probing: boolean
  /** Cancels requests that are being sent, some time after the process began to stop. */
  readonly cancel: AbortController
  /** As of the last claim. */
  target: DeliveryTarget
  /** Claimed, not sent yet. */
  ready: ClaimedMessage[]
  readonly sending: Set<ClaimedMessage>
  /** Attempts that ended and are not settled yet. */
  ended: { message: ClaimedMessage; attempt: Attempt }[]
  /** Messages to give back without an attempt. */
  released: ClaimedMessage[]
  /** Until released messages are due again. */
  releasedDelayMs: number
  failuresInARow: number
  delivered: number
  /** Send nothing more: the destination fails, was deleted or disabled, the slice is over, or the process stops. */
  isHalted: boolean
  /** The last claim found everything that was due. */
  isDrained: boolean
  /** When the last claim began, by `performance.now()`; 0 before the first. */
  claimedAt: number
  /** When the oldest of `ended` ended. */
  firstEndedAt: number
  /** When something was last answered, or nothing was being sent. */
  movedAt: number
}

export function deliveryState(
  fixed: Pick<DeliveryState, 'services' | 'db' | 'random' | 'probing' | 'target'>,
): DeliveryState {
  return {
    ...fixed,
    cancel: new AbortController(),
    ready: [],
    sending: new Set(),
    ended: [],
    released: [],
    releasedDelayMs: 0,
    failuresInARow: fixed.target.failureCount,
    delivered: 0,
    isHalted: false,
    isDrained: false,
    claimedAt: 0,
    firstEndedAt: 0,
    movedAt: performance.now(),
  }
}
