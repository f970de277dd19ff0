import type { Services } from '../../services.ts'
import { type InboundEvent, insertEvents } from './inbound-store.ts'
import { deliverEvents, streamKey } from './jobs/deliver-events.ts'
import { InboundBusy } from './problems.ts'

/** Events of one statement at most. */
const batchMax = 500
/** What waits in memory at most, in all projects together. */
const bytesMax = 64 * 1_024 * 1_024

interface Waiting {
  events: InboundEvent[]
  bytes: number
  stored: () => void
  failed: (error: unknown) => void
}

/** Stores events as they come: all that come while one transaction commits go into the next one, so that a burst costs few of them. */
export interface Collector {
  /** Answers when the events are committed. @throws InboundBusy */
  store(projectId: string, events: InboundEvent[]): Promise<void>
  /** Waits for what is under way. */
  stop(): Promise<void>
}

export function createCollector({ database, queue, now }: Pick<Services, 'database' | 'queue' | 'now'>): Collector {
  const projects = new Map<string, { waiting: Waiting[]; running: Promise<void> }>()
  let held = 0

  async function flush(projectId: string, batch: Waiting[]): Promise<void> {
    const events = batch.flatMap((one) => one.events)
    try {
      await database.forProject(projectId).transaction(async (tx) => {
        if ((await insertEvents(tx, events, now())) === 0) return
        const streams = new Map(
          events.map(({ integrationId, installationId }) => {
            const stream = { projectId, integrationId, ...(installationId !== undefined && { installationId }) }
            return [streamKey(stream), stream]
          }),
        )
        const items = [...streams].map(([key, data]) => ({ data, key }))
        await queue.enqueueAll(tx, deliverEvents, items)
      })
      for (const { stored } of batch) stored()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
    for (const { bytes } of batch) held -= bytes
  }

  async function run(projectId: string, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      await flush(projectId, waiting.splice(0, countThatFits(waiting)))
    }
    projects.delete(projectId)
  }

  return {
    store(projectId, events) {
      const bytes = events.reduce((sum, { raw }) => sum + raw.length, 0)
      if (held + bytes > bytesMax) throw new InboundBusy()
      held += bytes
      return new Promise((stored, failed) => {
        const one = { events, bytes, stored, failed }
        const project = projects.get(projectId)
        if (project) {
          project.waiting.push(one)
          return
        }
        const waiting = [one]
        projects.set(projectId, { waiting, running: Promise.resolve() })
        const running = run(projectId, waiting)
        const mine = projects.get(projectId)
        if (mine?.waiting === waiting) mine.running = running
      })
    },
    async stop() {
      await Promise.all([...projects.values()].map(({ running }) => running))
    },
  }
}

/** How many of those that wait go into one statement: one at least, however large it is. */
function countThatFits(waiting: readonly Waiting[]): number {
  let events = 0
  const beyond = waiting.findIndex((one) => {
    events += one.events.length
    return events > batchMax
  })
  return beyond === -1 ? waiting.length : Math.max(1, beyond)
}
