import type { ProjectDb } from '../../../kernel/db/index.ts'
import { type DeliveryTarget, findDeliveryTarget, takeProbe } from '../destinations/index.ts'
import { claimMessages, spreadMessages } from '../messages/index.ts'
import { batchBytesMax, batchMax, sliceMs, spreadMax, unsentDelayMs } from './delivery-rules.ts'
import { DeliveryRun } from './delivery-run.ts'
import { type DeliveryServices, deliveryState } from './delivery-state.ts'
import { routeByGroup } from './route-by-group.ts'

export interface DeliveryOptions {
  projectId: string
  destinationId: string
  /** Ends the run: nothing more is sent; requests that are being sent may end. */
  signal: AbortSignal
  /** Yields the slot of this run to another if all are in use; returns whether it did. */
  yieldSlot?: () => boolean
  random?: () => number
}

/**
 * Delivers what is due to one destination: claims batches under a lease, sends them in parallel, settles them together.
 * After failures in a row it stops, and one probe at a time, each after a longer delay, finds out whether the
 * destination is back. While nothing answers and others wait for its slot, it keeps only what is being sent.
 *
 * @returns whether there may be more to send
 */
export async function deliver(services: DeliveryServices, options: DeliveryOptions): Promise<boolean> {
  const db = services.database.forProject(options.projectId)
  const { signal, yieldSlot = () => false, random = Math.random } = options
  const runFor = (target: DeliveryTarget, probing: boolean) =>
    new DeliveryRun(deliveryState({ services, db, random, probing, target }), { signal, yieldSlot })
  const target = await findDeliveryTarget(db, services, options.destinationId)
  if (!target) return false
  if (target.kind.groupDefault) return routeByGroup(services, db, target, signal)
  if (target.kind.members) return spread(db, target.id, signal)
  if (target.probeAt !== null) {
    if (!(await takeProbe(db, target.id, target.kind.limits.timeoutMs / 1_000 + 5))) return false
    const probe = runFor(target, true)
    const delivered = await probe.run()
    if (!delivered) return false
    if (probe.hasYielded) return true
    const healthy = await findDeliveryTarget(db, services, options.destinationId)
    return healthy !== undefined && runFor(healthy, false).run()
  }
  const host = target.kind.host(target.settings)
  if (host !== undefined && services.names.isBusy(host, options.projectId)) {
    await postpone(services, db, target.id, random)
    return false
  }
  return runFor(target, false).run()
}

/** Gives the due messages of a fan-out to its destinations. The poll finds them there. */
async function spread(db: ProjectDb, destinationId: string, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + sliceMs
  let given = spreadMax
  while (given === spreadMax && !signal.aborted && performance.now() < until)
    given = await spreadMessages(db, destinationId, spreadMax)
  return given === spreadMax
}

/**
 * Leases due messages until our own resolver may have capacity. This takes one statement; a claim and a release would
 * take two.
 */
async function postpone({ newId }: DeliveryServices, db: ProjectDb, destinationId: string, random: () => number) {
  const leaseSeconds = (unsentDelayMs / 1_000) * (0.5 + random())
  await claimMessages(db, { destinationId, token: newId(), limit: batchMax, bytesMax: batchBytesMax, leaseSeconds })
}
