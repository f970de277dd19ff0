import { isId, type ProjectDb } from '../../../kernel/db/index.ts'
import { type DeliveryTarget, deadLettersEvent, deliveryJob, markDeadLetters } from '../destinations/index.ts'
import { connectionIdOf, groupRefOf, sourceOf } from '../kinds/index.ts'
import {
  type ClaimedMessage,
  claimMessages,
  type GroupedMessage,
  routeMessages,
  type SettledAttempts,
  type Settlement,
  settleMessages,
} from '../messages/index.ts'
import { batchBytesMax, batchMax, leaseSeconds, sliceMs } from './delivery-rules.ts'
import type { DeliveryServices } from './delivery-state.ts'

type Services = Pick<DeliveryServices, 'newId' | 'handover' | 'counts' | 'queue'>

/**
 * Gives the due messages of a destination to the destinations of their connections and groups: claims batches under a
 * lease, and moves each batch in one transaction. Messages that have none become dead letters there.
 *
 * @returns whether there may be more
 */
export async function routeByGroup(
  services: Services,
  db: ProjectDb,
  target: Pick<DeliveryTarget, 'id' | 'name'>,
  signal: AbortSignal,
): Promise<boolean> {
  const until = performance.now() + sliceMs
  while (!signal.aborted && performance.now() < until) {
    const claim = { destinationId: target.id, limit: batchMax, bytesMax: batchBytesMax, leaseSeconds }
    const claimed = await claimMessages(db, { ...claim, token: services.newId() })
    if (claimed.length === 0) return false
    await routeBatch(services, db, target, claimed)
  }
  return true
}

async function routeBatch(
  { handover, queue, counts }: Services,
  db: ProjectDb,
  target: Pick<DeliveryTarget, 'id' | 'name'>,
  claimed: readonly ClaimedMessage[],
): Promise<void> {
  const grouped = claimed.map(ownersOf)
  const groups = new Map(grouped.map(({ message, groupRef }) => [message.id, groupRef]))
  const { open, settled } = await db.transaction(async (tx) => {
    const { open, unrouted } = await routeMessages(tx, target.id, grouped)
    if (unrouted.length === 0) return { open, settled: [] as SettledAttempts[] }
    const settlements = unrouted.map((message) => refused(message, target.name, groups.get(message.id)))
    const settled = await settleMessages(tx, target.id, settlements)
    if (unrouted.some(({ eventType }) => eventType !== deadLettersEvent)) await markDeadLetters(tx, target.id)
    return { open, settled }
  })
  for (const { installationId, objectName, attempts, failed } of settled)
    counts.add(
      { projectId: db.projectId, installationId, objectName },
      { deliveries: attempts, failedDeliveries: failed },
    )
  const deliveries = open
    .filter(({ name }) => !handover.claimAgain(db.projectId, name))
    .map(({ id }) => ({ data: { projectId: db.projectId, destinationId: id }, key: id }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
  // Only saves time: the poll finds due messages without a job.
  if (deliveries.length > 0) await queue.enqueueAll(db, deliveryJob, deliveries)
}

function ownersOf(message: ClaimedMessage): GroupedMessage {
  const data = JSON.parse(message.payload.toString()) as Record<string, unknown>
  const { installationId } = sourceOf({ message, data })
  return {
    message,
    groupRef: storable(groupRefOf(data)),
    connectionId: idOf(connectionIdOf(data)),
    installationId: idOf(installationId),
  }
}

/** The database stores no NUL and no half of a character in text, so no group has one. */
function storable(groupRef: string | undefined): string | undefined {
  return groupRef === undefined || groupRef.includes('\u0000') || !groupRef.isWellFormed() ? undefined : groupRef
}

function idOf(text: string | undefined): string | undefined {
  return text !== undefined && isId(text) ? text : undefined
}

function refused({ id, token, attempt }: ClaimedMessage, name: string, groupRef: string | undefined): Settlement {
  const error =
    groupRef === undefined
      ? `The message belongs to no group, and ${name} has no default.`
      : `${name} has no destination for the group of the message, and no default.`
  return {
    id,
    token,
    state: 'failed',
    failure: 'refused',
    attempt: attempt + 1,
    delayMs: 0,
    ended: { error, durationMs: 0 },
  }
}
