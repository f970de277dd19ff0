import { job } from '../../../../kernel/jobs/index.ts'
import { deliveryJob } from '../../destinations/index.ts'
import { sliceMs } from '../delivery-rules.ts'
import type { DeliveryServices } from '../delivery-state.ts'
import { deliver } from '../delivery-worker.ts'

/**
 * Delivers what is due to one destination. Its key is the id of the destination, so that at most one runs and one
 * waits. It is only ever enqueued for now: when it finds nothing due it ends, and the poll finds what becomes due
 * later.
 */
export const deliverMessages = job(deliveryJob, {
  policy: 'one-per-key',
  concurrency: 64,
  expireInSeconds: (2 * sliceMs) / 1_000 + 30,
  heartbeatSeconds: 10,
  // The poll comes back to it within a second.
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: async ({ data, signal, giveWay }, services: DeliveryServices) => {
    const more = await deliver(services, { ...data, signal, yieldSlot: giveWay })
    if (!more) return
    const db = services.database.forProject(data.projectId)
    await services.queue.enqueue(db, deliveryJob, data, data.destinationId)
  },
})
