import type { Database, NewId, ProjectDb } from '../../../kernel/db/index.ts'
import type { Keyring } from '../../../kernel/encryption/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { AddressGuard, NameResolver, Outbound } from '../../../kernel/net/index.ts'
import type { Logger, Metrics } from '../../../kernel/telemetry/index.ts'
import type { CountBuffer } from '../../platform/counts/index.ts'
import type { DeliveryTarget, DestinationHooks } from '../destinations/index.ts'
import type { ClaimedMessage, Handover } from '../messages/index.ts'
import type { Attempt } from './attempt.ts'
import type { DeliveryRate } from './delivery-rate.ts'
import { type OpenTarget, openTarget } from './open-target.ts'

export type DeliveryServices = {
  database: Database
  guard: AddressGuard
  names: NameResolver
  outbound: Outbound
  keyring: Keyring
  publicUrl: string
  now: () => Date
  newId: NewId
  metrics: Metrics
  hooks: DestinationHooks
  log: Logger
  deliveryRate: DeliveryRate
  handover: Handover
  queue: JobQueue
  counts: CountBuffer
}

export interface EndedAttempt {
  message: ClaimedMessage
  attempt: Attempt
  /** Of the destination that it was sent to: it says nothing about one with another address. */
  urlChanges: number
}

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
  /** The target, open. Replaced when its settings or keys change. */
  open: OpenTarget
  /** Open targets that were replaced; closed when the run ends. */
  readonly replaced: OpenTarget[]
  /** Claimed, not sent yet. */
  ready: ClaimedMessage[]
  readonly sending: Set<ClaimedMessage>
  /** Batches that are being sent. */
  batches: number
  /** Attempts that ended and are not settled yet. */
  ended: EndedAttempt[]
  /** Messages to give back without an attempt. */
  released: ClaimedMessage[]
  /** Reservations of messages that are being stored. */
  reserved: number
  /** When messages were last taken over, by `performance.now()`; undefined if never. */
  takenOverAt: number | undefined
  /** Until released messages are due again. */
  releasedDelayMs: number
  failuresInARow: number
  /** Messages that the destination accepted or refused. */
  answered: number
  /** Send nothing more: the destination fails, was deleted or disabled, the slice is over, or the process stops. */
  isHalted: boolean
  /** The last claim found everything that was due. */
  isDrained: boolean
  /** More was posted since the last claim began. */
  mustClaim: boolean
  isRenewing: boolean
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
    open: openTarget(fixed.services, fixed.db, fixed.target),
    replaced: [],
    cancel: new AbortController(),
    ready: [],
    sending: new Set(),
    batches: 0,
    ended: [],
    released: [],
    reserved: 0,
    takenOverAt: undefined,
    releasedDelayMs: 0,
    failuresInARow: fixed.target.failureCount,
    answered: 0,
    isHalted: false,
    isDrained: false,
    mustClaim: false,
    isRenewing: false,
    claimedAt: 0,
    firstEndedAt: 0,
    movedAt: performance.now(),
  }
}

/** Takes over what the destination is now: from the next batch on, messages are sent by its settings and keys. */
export function replaceTarget(state: DeliveryState, target: DeliveryTarget): void {
  if (target.urlChanges !== state.target.urlChanges) state.failuresInARow = target.failureCount
  state.target = target
  if (target.version === state.open.target.version) return
  state.replaced.push(state.open)
  state.open = openTarget(state.services, state.db, target)
}

/** Closes what the run opened, when nothing is being sent. */
export async function closeTargets({ open, replaced }: DeliveryState): Promise<void> {
  await Promise.all([open, ...replaced].map(({ sender }) => sender.close()))
}
