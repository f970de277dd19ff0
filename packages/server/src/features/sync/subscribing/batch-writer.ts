import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../../kernel/db/index.ts'
import type { JobQueue } from '../../../kernel/jobs/index.ts'
import type { Logger } from '../../../kernel/telemetry/index.ts'
import { type EventQueue, eventQueueId, type InboundEvent, insertEvents } from './inbound-store.ts'
import { deliverEvents } from './job-references.ts'
import { InboundBusy } from './problems.ts'

/** Maximum number of events in one statement. */
const batchMax = 500
/**
 * Interval between the starts of two commits while events keep arriving. A longer interval batches more events into
 * each commit, at no extra cost.
 */
const commitIntervalMs = 5
/** Maximum size of the events that wait in memory, over all projects. */
const bytesMax = 64 * 1_024 * 1_024

interface Waiting {
  events: InboundEvent[]
  bytes: number
  stored: (count: number) => void
  failed: (error: unknown) => void
}

/**
 * Interval at which the jobs of event queues with new events are enqueued, so that a burst costs one job for many
 * commits.
 */
const enqueueIntervalMs = 100

/**
 * Stores events as they arrive. The first one is stored immediately. All that arrive within the next milliseconds share
 * one commit, so that a burst costs few commits.
 */
export interface BatchWriter {
  /** Resolves when the events are committed, with the number of new ones. @throws InboundBusy */
  store(projectId: string, events: InboundEvent[]): Promise<number>
  /** Waits for commits and jobs in progress. */
  stop(): Promise<void>
}

export function createBatchWriter({
  database,
  queue,
  now,
  log,
}: {
  database: Database
  queue: JobQueue
  now: () => Date
  log: Logger
}): BatchWriter {
  const projects = new Map<string, { waiting: Waiting[]; running: Promise<void> }>()
  let bufferedBytes = 0

  /** Event queues with new events. Their jobs are enqueued together, while the next events are stored already. */
  const changed = new Map<string, EventQueue>()
  let enqueueing: Promise<void> | undefined
  const stopping = new AbortController()

  /** Enqueues the jobs. This only speeds up delivery: the poll finds events that were stored but not enqueued. */
  async function enqueueChanged(): Promise<void> {
    while (changed.size > 0) {
      const items = [...changed].map(([key, data]) => ({ data, key }))
      changed.clear()
      try {
        await queue.enqueueAll({ sql: database.system }, deliverEvents, items)
      } catch (error) {
        log.warn({ err: error }, 'failed to process events; the next poll retries')
      }
      if (!stopping.signal.aborted)
        await setTimeout(enqueueIntervalMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    }
    enqueueing = undefined
  }

  async function flush(projectId: string, batch: Waiting[]): Promise<void> {
    const events = batch.flatMap((one) => one.events)
    try {
      // One statement, and so one transaction: a burst waits for a single round trip.
      const inserted = new Set(await insertEvents(database.forProject(projectId), events, now()))
      for (const { stored, events: some } of batch) stored(some.filter(({ id }) => inserted.has(id)).length)
      for (const { integrationId, installationId } of inserted.size > 0 ? events : []) {
        const eventQueue = { projectId, integrationId, ...(installationId !== undefined && { installationId }) }
        changed.set(eventQueueId(eventQueue), eventQueue)
      }
      if (changed.size > 0) enqueueing ??= enqueueChanged()
    } catch (error) {
      for (const { failed } of batch) failed(error)
    }
    for (const { bytes } of batch) bufferedBytes -= bytes
  }

  async function run(projectId: string, waiting: Waiting[]): Promise<void> {
    while (waiting.length > 0) {
      const begun = performance.now()
      await flush(projectId, waiting.splice(0, countThatFits(waiting)))
      const restMs = commitIntervalMs - (performance.now() - begun)
      if (restMs > 0 && waiting.length > 0 && countThatFits(waiting) === waiting.length) await setTimeout(restMs)
    }
    projects.delete(projectId)
  }

  return {
    store(projectId, events) {
      const bytes = events.reduce((sum, { raw }) => sum + raw.length, 0)
      if (bufferedBytes + bytes > bytesMax) throw new InboundBusy()
      bufferedBytes += bytes
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
      stopping.abort()
      await enqueueing
    },
  }
}

/** Returns how many of the waiting events fit into one statement: at least one, however large it is. */
function countThatFits(waiting: readonly Waiting[]): number {
  let events = 0
  const beyond = waiting.findIndex((one) => {
    events += one.events.length
    return events > batchMax
  })
  return beyond === -1 ? waiting.length : Math.max(1, beyond)
}
