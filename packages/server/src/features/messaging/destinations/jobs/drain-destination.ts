import { job } from '../../../../kernel/jobs/index.ts'
import type { Services } from '../../../../services.ts'
import { sliceMs } from '../delivery-rules.ts'
import { type DrainServices, drain } from '../drain.ts'

/**
 * Delivers what is due for one destination. Its key is the id of the destination, so that at most one runs and one
 * waits. It is only ever enqueued for now: when it finds nothing due it ends, and the sweep finds what becomes due
 * later.
 */
export const drainDestination = job<
  { projectId: string; destinationId: string },
  DrainServices & Pick<Services, 'queue'>
>({
  name: 'destinations.drain',
  policy: 'one-per-key',
  concurrency: 64,
  expireInSeconds: (2 * sliceMs) / 1_000 + 30,
  heartbeatSeconds: 10,
  // The sweep comes back to it within a second.
  retryLimit: 0,
  retryDelaySeconds: 0,
  run: async ({ data, signal, giveWay }, services) => {
    const more = await drain(services, { ...data, signal, giveWay })
    if (!more) return
    const db = services.database.forProject(data.projectId)
    await services.queue.enqueue(db, drainDestination, data, data.destinationId)
  },
})
