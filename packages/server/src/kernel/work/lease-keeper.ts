import { type Lease, type LeaseDb, renewLeases } from './lease.ts'
import { LeaseLost } from './lease-lost.ts'
import { leaseMs } from './work-table.ts'

/** Renews many leases of one table in one statement, for work that takes hours. */
export interface LeaseKeeper<Row extends object> {
  /** Renews a lease until `end`. The signal aborts with `LeaseLost` when another worker may have the row. */
  keep(lease: Lease<Row>): { lost: AbortSignal; end(): void }
}

/**
 * Creates a keeper. It runs no statement while it keeps no lease.
 *
 * @param db reaches the rows of all leases: the system role for leases of several projects
 */
export function createLeaseKeeper<Row extends object>(db: LeaseDb): LeaseKeeper<Row> {
  const kept = new Map<Lease<Row>, { controller: AbortController; renewedAt: number }>()
  let timer: NodeJS.Timeout | undefined
  let renewal: Promise<void> | undefined

  function lose(lease: Lease<Row>): void {
    kept.get(lease)?.controller.abort(new LeaseLost())
  }

  async function renew(leases: Lease<Row>[]): Promise<void> {
    const begunAt = performance.now()
    try {
      await renewLeases(db, leases)
      for (const lease of leases) {
        const one = kept.get(lease)
        if (one) one.renewedAt = begunAt
        if (lease.isLost) lose(lease)
      }
    } catch {
      // The database was unreachable for a moment. `tick` decides whether that was too long.
    }
  }

  function tick(): void {
    const active = [...kept.keys()].filter(({ isOver }) => !isOver)
    for (const lease of active) if (performance.now() - (kept.get(lease)?.renewedAt ?? 0) >= leaseMs) lose(lease)
    if (active.length === 0 || renewal) return
    renewal = renew(active).finally(() => {
      renewal = undefined
    })
  }

  return {
    keep(lease) {
      const controller = new AbortController()
      kept.set(lease, { controller, renewedAt: performance.now() })
      timer ??= setInterval(tick, leaseMs / 3)
      return {
        lost: controller.signal,
        end() {
          kept.delete(lease)
          if (kept.size > 0) return
          clearInterval(timer)
          timer = undefined
        },
      }
    },
  }
}
