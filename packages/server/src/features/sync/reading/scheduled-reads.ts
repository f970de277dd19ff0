import type { Logger } from '../../../kernel/telemetry/index.ts'
import { type ClaimLoop, keepLeases, type Lease, LeaseLost } from '../../../kernel/work/index.ts'
import { classifyFailure } from '../../provider-calls/calls/index.ts'
import { beginScheduledRun, type ScheduledRun } from './begin-scheduled-run.ts'
import { deliverPage } from './deliver-page.ts'
import { claimDueReads, type DueRead } from './due-reads.ts'
import { foundText, settleMs } from './model.ts'
import { nextRun } from './next-run.ts'
import { type OpenRead, openTarget, type ReadTarget } from './open-read.ts'
import { type PageStream, type StreamedPage, streamPages } from './page-stream.ts'
import { processRun, type StartedRead } from './process-run.ts'
import { readRequest } from './read-request.ts'
import type { ReadServices } from './read-services.ts'
import { findReadTargets } from './read-targets.ts'
import { createReadSettler, type ReadSettler } from './settle-reads.ts'

/** A scheduled read that takes longer continues as a run, in a slot for runs. */
const sliceMs = 5_000

interface ScheduledRead {
  services: ReadServices
  settler: ReadSettler
  lease: Lease<DueRead>
  /** Undefined when the installation no longer reads the object. */
  target: ReadTarget | undefined
  /** Aborts when the process stops, or the lease is lost. */
  signal: AbortSignal
  log: Logger
  /** Frees the slot before the end: what remains is to store the outcome. */
  freeSlot: () => void
}

/**
 * Reads objects on their schedules. A read claims the state of its object and sends one request. Most find nothing new:
 * their outcomes are stored in batches, and nothing else is written. One page of records is one transaction. A read
 * that needs a second request or meets an error becomes a run, which survives this process.
 */
export function scheduledReads(services: ReadServices): ClaimLoop {
  const settler = createReadSettler(services)
  const log = services.log.child({ loop: 'reading.schedule' })
  const system = { sql: services.database.system }
  const batches = new Set<Promise<unknown>>()
  return {
    name: 'reading.schedule',
    concurrency: 64,
    batchMin: 16,
    async begin(limit, stopping) {
      const leases = await claimDueReads(services, limit)
      if (leases.length === 0) return []
      const rows = leases.map(({ row }) => row)
      const targets = await findReadTargets(services.database, rows)
      const slots: Promise<undefined>[] = []
      const batch = keepLeases(system, leases, stopping, async (signal) => {
        const reads = leases.map((lease) => {
          const slot = Promise.withResolvers<undefined>()
          slots.push(slot.promise)
          const target = targets.get(lease.row)
          const read = { services, settler, lease, target, signal, log, freeSlot: () => slot.resolve(undefined) }
          return readScheduled(read).then(read.freeSlot, slot.reject)
        })
        await Promise.all(reads)
      })
        // Each read sees the loss of its lease itself.
        .catch(() => undefined)
        .finally(() => batches.delete(batch))
      batches.add(batch)
      return slots
    },
    async stop() {
      await Promise.all(batches)
    },
  }
}

/** Reads one object: to its end if one request is enough, otherwise as a run. */
async function readScheduled(read: ScheduledRead): Promise<void> {
  const { services, settler, lease, target } = read
  const { row } = lease
  const begun = services.now()
  const nextRunAt = nextRun(row.schedule, {
    after: row.now,
    installationId: row.installation_id,
    spreadMs: services.config.scheduleSpreadMs,
  })
  if (!target || row.waiting === 'scheduled') return settler.settle(lease, { nextRunAt })
  const run = { operationId: services.newId(), installation: target.installation, nextRunAt }
  if (row.waiting === 'other') return storeRun(read, run)
  const ended = {
    projectId: row.project_id,
    operationId: run.operationId,
    installationId: row.installation_id,
    integrationId: target.installation.integrationId,
    configId: target.installation.configId,
    objectName: row.object_name,
    begun,
  }
  if (target.destinationState === 'disabled')
    return settler.settle(lease, { nextRunAt, ended: { ...ended, result: 'Skipped: the destination is disabled.' } })
  const mark = row.high_water_mark ?? undefined
  const window = { since: mark, until: new Date(Math.max(row.claim_time.getTime() - settleMs, mark?.getTime() ?? 0)) }
  const found = await readFirstPages(read, target, window)
  switch (found.kind) {
    case 'stopped':
      return settler.settle(lease, { nextRunAt: undefined })
    case 'later':
      return settler.settle(lease, { nextRunAt: new Date(row.now.getTime() + found.ms) })
    case 'nothing':
      read.freeSlot()
      await settler.settle(lease, { nextRunAt, mark: window.until, ended: { ...ended, result: foundText(0) } })
      break
    case 'page':
      try {
        await deliverPage(services, lease, { ...found, ended, window, nextRunAt })
        settler.show(ended)
      } catch (error) {
        // A run logs a fault of the service, and retries with back-off.
        if (!(error instanceof LeaseLost)) await storeRun(read, { ...run, window }, { error, calls: [] })
      }
      break
    case 'more':
      await storeRun(read, { ...run, window }, found.started)
  }
  const dueMs = row.now.getTime() - (row.next_run_at?.getTime() ?? row.now.getTime())
  services.metrics.readLag.observe((dueMs + services.now().getTime() - begun.getTime()) / 1_000)
}

/** What the first request of a read found. */
type Found =
  | { kind: 'nothing' }
  /** Records, and no more pages. */
  | { kind: 'page'; read: OpenRead; pages: StreamedPage[] }
  /** Further pages, an error, or something to log. */
  | { kind: 'more'; started: StartedRead }
  /** The provider’s rate limit has no permit for so long. */
  | { kind: 'later'; ms: number }
  /** The process stops, or the lease is lost. */
  | { kind: 'stopped' }

async function readFirstPages(
  { services, lease, signal }: ScheduledRead,
  target: ReadTarget,
  window: { since: Date | undefined; until: Date },
): Promise<Found> {
  let read: OpenRead | undefined
  let stream: PageStream | undefined
  try {
    read = await openTarget({ projectId: lease.row.project_id }, services, target)
    const waitMs = read.connection.waitMs('GET')
    if (waitMs > 0) return { kind: 'later', ms: waitMs }
    stream = streamPages(read, readRequest(read, { kind: 'scheduled', ...window }, signal))
    const pages = await stream.take()
    const last = pages.at(-1)
    const isEmpty = pages.every(({ entries }) => entries.length === 0)
    const isWhole = last?.nextPage === undefined && last?.missedDeletions === undefined
    if (!last || !isWhole || (!isEmpty && target.destinationState === 'missing'))
      return { kind: 'more', started: { read, stream, pages } }
    await read.connection.succeeded()
    return isEmpty ? { kind: 'nothing' } : { kind: 'page', read, pages }
  } catch (error) {
    await stream?.stop()
    if (signal.aborted) return { kind: 'stopped' }
    const failure = classifyFailure(error)
    // Not a failure: other requests use the provider's rate limit.
    if (failure.read === 'yield') return { kind: 'later', ms: failure.retryAfterMs ?? 0 }
    return { kind: 'more', started: { error, calls: read?.calls ?? [] } }
  }
}

/** Stores a read as a run. With a start, continues it. Without one, the run waits behind another of its object. */
async function storeRun(
  { services, lease, signal, log }: ScheduledRead,
  run: ScheduledRun,
  started?: StartedRead,
): Promise<void> {
  const db = services.database.forProject(lease.row.project_id)
  try {
    const begun = await unlessLost(beginScheduledRun(db, services, lease, run))
    if (begun && started) await processRun({ services, lease: begun, signal, log, sliceMs }, started)
  } finally {
    if (started && 'stream' in started) await started.stream.stop()
  }
}

/** Returns undefined when another worker has taken over. */
async function unlessLost<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof LeaseLost) return undefined
    throw error
  }
}
