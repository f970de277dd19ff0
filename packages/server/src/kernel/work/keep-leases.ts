import type { Backoff } from '../backoff.ts'
import { type Lease, type LeaseDb, renewLeases } from './lease.ts'
import { LeaseLost } from './lease-lost.ts'
import { leaseMs } from './work-table.ts'

/** Back-off after an error that the work did not handle: a bug, or the database was unreachable. */
const afterError: Backoff = { firstMs: 5_000, maxMs: 15 * 60_000 }

/**
 * Does work under its leases, all of one table. While `work` runs, the leases are renewed. Its signal aborts when
 * `signal` does. It also aborts, with `LeaseLost` as the reason, when the last of the leases is lost, or could not be
 * renewed for the duration of a lease.
 *
 * `work` settles each lease: it finishes, completes or postpones it. A lease that it does not settle is released and
 * due immediately. When it throws, its leases are postponed with back-off, or released if `signal` has aborted.
 *
 * @throws LeaseLost, and what `work` throws
 */
export async function keepLeases<Row extends object, T>(
  db: LeaseDb,
  leases: readonly Lease<Row>[],
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const heartbeat = startHeartbeat(db, leases)
  try {
    const result = await work(AbortSignal.any([signal, heartbeat.lost]))
    await heartbeat.stop()
    await settleRest(leases, (lease) => lease.release(db))
    return result
  } catch (error) {
    await heartbeat.stop()
    await settleRest(leases, (lease) => (signal.aborted ? lease.release(db) : lease.postponeBy(db, afterError)))
    throw heartbeat.lost.aborted ? heartbeat.lost.reason : error
  }
}

/** Settles the leases that `work` left. The next worker finds the others when their lease has expired. */
async function settleRest<Row extends object>(
  leases: readonly Lease<Row>[],
  settle: (lease: Lease<Row>) => Promise<void>,
): Promise<void> {
  await Promise.allSettled(leases.filter(({ isOver }) => !isOver).map(settle))
}

function startHeartbeat<Row extends object>(
  db: LeaseDb,
  leases: readonly Lease<Row>[],
): { lost: AbortSignal; stop(): Promise<void> } {
  const controller = new AbortController()
  let renewedAt = performance.now()
  let renewal: Promise<void> | undefined
  const lose = () => controller.abort(new LeaseLost())
  const isOutdated = () => performance.now() - renewedAt >= leaseMs
  const renew = async (active: Lease<Row>[]) => {
    const begunAt = performance.now()
    try {
      await renewLeases(db, active)
      renewedAt = begunAt
      if (active.some(({ isLost }) => isLost) && leases.every(({ isOver }) => isOver)) lose()
    } catch {
      // The database was unreachable for a moment. That may have been too long: another worker may have the rows.
      if (isOutdated()) lose()
    }
  }
  const timer = setInterval(() => {
    const active = leases.filter(({ isOver }) => !isOver)
    if (active.length === 0) return
    if (renewal && isOutdated()) lose()
    renewal ??= renew(active).finally(() => {
      renewal = undefined
    })
  }, leaseMs / 3)
  return {
    lost: controller.signal,
    async stop() {
      clearInterval(timer)
      await renewal
    },
  }
}
