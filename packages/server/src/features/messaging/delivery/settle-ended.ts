import type { ProjectDb } from '../../../kernel/db/index.ts'
import { deadLettersEvent, disableForFailure, markDeadLetters, updateDestinationHealth } from '../destinations/index.ts'
import {
  type ClaimedMessage,
  hasEntries,
  insertSplit,
  lockLeased,
  type SettledAttempts,
  type Settlement,
  settleMessages,
} from '../messages/index.ts'
import { type Attempt, isAnswered } from './attempt.ts'
import { batchMax, settlementMax } from './delivery-rules.ts'
import type { DeliveryState, EndedAttempt } from './delivery-state.ts'
import { probeDelayMs, retryDelayMs } from './retry-schedule.ts'
import { isLingering } from './take-over.ts'

/** How long results may wait for others before they are settled. */
export const settleWithinMs = 100

const goneReason = 'The endpoint answered 410 Gone.'
const lastingReason = 'Every attempt of the last five days failed.'

/** Whether to settle now. */
export function mustSettle(state: DeliveryState): boolean {
  const waiting = state.ended.length + state.released.length
  if (waiting === 0) return false
  const nothingElse = state.sending.size === 0 && state.ready.length === 0 && !isLingering(state)
  return (
    waiting >= batchMax || nothingElse || state.isHalted || performance.now() - state.firstEndedAt >= settleWithinMs
  )
}

/** Settles attempts that ended, and updates the health of the destination where they change it. */
export async function settleEnded(state: DeliveryState): Promise<void> {
  const { db, services, probing, target } = state
  const ended = state.ended.splice(0, settlementMax).map(splittable)
  const released = state.released.splice(0, settlementMax)
  const settlements = [
    ...ended.map(({ message, attempt }) => settlementOf(message, attempt, state.random)),
    ...released.map((message) => release(message, state.releasedDelayMs * (0.5 + state.random()))),
  ]
  const { id, urlChanges, failureCount, probeAt, failedProbes } = target
  const current = ended.filter((one) => one.urlChanges === urlChanges)
  const lastSuccess = current.findLastIndex(({ attempt }) => isAnswered(attempt))
  const failures = current.length - 1 - lastSuccess
  const succeeded = lastSuccess >= 0
  const isSplit = ended.some(({ attempt }) => attempt.rejected)
  const isHealthKnown = failures === 0 && (!succeeded || (failureCount === 0 && probeAt === null)) && !probing
  const hasDied = hasDeadLetters(ended, settlements)
  if (isHealthKnown && !isSplit && !hasDied) return countAttempts(state, await settleMessages(db, id, settlements))

  const gone = current.some(({ attempt }) => attempt.outcome === 'gone')
  const destination = { id, urlChanges }
  const settled = await db.transaction(async (tx) => {
    const settled = isSplit
      ? await settleSplit(tx, state, ended, settlements)
      : await settleMessages(tx, id, settlements)
    const health = await updateDestinationHealth(tx, destination, {
      succeeded,
      failures,
      probing: probing && current.length > 0,
      probeDelayMs: probeDelayMs(probing && !succeeded ? failedProbes + 1 : 0, state.random()),
    })
    if (hasDied) await markDeadLetters(tx, id)
    const reason = gone ? goneReason : failures > 0 && health?.lasting ? lastingReason : undefined
    const name = reason === undefined ? undefined : await disableForFailure(tx, destination, reason)
    if (name !== undefined) await services.hooks.destinationChanged(tx, { destinationId: id, name, kind: 'disabled' })
    return settled
  })
  countAttempts(state, settled)
  // What is known of the failures until the destination is looked up again.
  state.target.failureCount = succeeded ? failures : failureCount + failures
  if (succeeded && failures === 0) state.target.probeAt = null
}

/** Whether messages became dead letters, apart from notifications about dead letters. */
function hasDeadLetters(ended: readonly EndedAttempt[], settlements: readonly Settlement[]): boolean {
  return ended.some(({ message, attempt }, at) => {
    const hasRefused = attempt.rejected?.some((one) => one.attempt.outcome === 'refused')
    return (settlements[at]?.state === 'failed' || hasRefused) && message.eventType !== deadLettersEvent
  })
}

/** A message whose records are not in it fails as a whole, so that none is lost. */
function splittable(ended: EndedAttempt): EndedAttempt {
  const { message, attempt } = ended
  const { rejected = [] } = attempt
  const [first] = rejected
  if (!first) return ended
  const entries = rejected.flatMap((one) => [...one.entries])
  return hasEntries(message.payload, entries) ? ended : { ...ended, attempt: first.attempt }
}

/** Settles messages, and makes separate messages of the records that the destination did not accept. */
async function settleSplit(
  tx: ProjectDb,
  { target, random }: DeliveryState,
  ended: readonly EndedAttempt[],
  settlements: readonly Settlement[],
): Promise<SettledAttempts[]> {
  const split = ended.filter(({ attempt }) => attempt.rejected)
  const leased = await lockLeased(
    tx,
    split.map(({ message }) => message),
  )
  const settled = await settleMessages(tx, target.id, settlements)
  const separate = split.flatMap(({ message, attempt: { rejected = [] } }) =>
    leased.has(message.id)
      ? rejected.map(({ entries, attempt }) => ({
          message,
          entries,
          settlement: settlementOf({ ...message, attempt: 0, scheduleFrom: 0 }, attempt, random),
        }))
      : [],
  )
  return separate.length === 0 ? settled : [...settled, ...(await insertSplit(tx, target.id, separate))]
}

function countAttempts({ services, db }: DeliveryState, settled: readonly SettledAttempts[]): void {
  for (const { installationId, objectName, attempts, failed } of settled)
    services.counts.add(
      { projectId: db.projectId, installationId, objectName },
      { deliveries: attempts, failedDeliveries: failed },
    )
}

function release({ id, token, attempt }: ClaimedMessage, delayMs: number): Settlement {
  return { id, token, attempt, state: 'pending', delayMs }
}

function settlementOf(
  { id, token, attempt: before, scheduleFrom }: ClaimedMessage,
  attempt: Attempt,
  random: () => number,
): Settlement {
  const { outcome, retryAfterMs, status, error, response, durationMs } = attempt
  const number = before + 1
  const ended = {
    durationMs,
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...(response !== undefined && { response }),
  }
  if (outcome === 'delivered') return { id, token, attempt: number, state: 'delivered', delayMs: 0, ended }
  const failed = { id, token, attempt: number, state: 'failed', delayMs: 0, ended } as const
  // Another attempt would end the same.
  if (outcome === 'refused') return { ...failed, failure: 'refused' }
  const delayMs = retryDelayMs(number - scheduleFrom, random(), retryAfterMs)
  if (delayMs === undefined) return { ...failed, failure: 'exhausted' }
  return { id, token, attempt: number, state: 'pending', delayMs, ended }
}
