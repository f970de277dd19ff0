import type { Database, NewId } from '../db/index.ts'
import type { Logger } from '../telemetry/index.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import type { Lease } from './lease.ts'
import { leaseShares, returnShares } from './lease-store.ts'
import { SharedRateLimiter } from './rate-limiter.ts'

export interface SharedLimitsOptions {
  database: Pick<Database, 'system'>
  newId: NewId
  log: Logger
  /** A share expires after this time without a renewal. Default 5. */
  leaseSeconds?: number
  /** Interval between two renewals. Default 1,000. */
  renewEveryMs?: number
  /** An idle limit is forgotten after this time, and its share is returned. Default 10,000. */
  idleMs?: number
}

interface Entry {
  projectId: string
  name: string
  lease: ConcurrencyLimit | SharedRateLimiter
}

/**
 * Limits that all nodes share. Each node counts in memory, within a share of the capacity that it leases from the
 * database: one statement a second for all of its limits, and none per use. Shares follow demand, and the same capacity
 * is never leased twice. The first use of a limit waits for its first share. While the database is unreachable, each
 * node continues with its share, or with the full capacity if it has none: providers enforce such limits too, so
 * stopping would help nobody.
 */
export class SharedLimits {
  readonly #options: SharedLimitsOptions
  readonly #node: string
  readonly #limits = new Map<string, Entry>()
  readonly #since = performance.now()
  #timer: NodeJS.Timeout | undefined
  #renewing: Promise<void> | undefined
  #again = false
  #soon: NodeJS.Immediate | undefined
  #stopped = false

  constructor(options: SharedLimitsOptions) {
    this.#options = options
    this.#node = options.newId()
  }

  /** Returns the limit of this name: `capacity` concurrent uses. */
  concurrency(projectId: string, name: string, capacity: number): ConcurrencyLimit {
    const known = this.#limits.get(`${projectId} ${name}`)?.lease
    if (known instanceof ConcurrencyLimit && known.capacity === capacity) return known
    return this.#add(projectId, name, new ConcurrencyLimit(capacity, () => this.#renewSoon()))
  }

  /** Returns the limit of this name: `capacity` uses in `perSeconds`. */
  rateLimiter(projectId: string, name: string, capacity: number, perSeconds: number): SharedRateLimiter {
    const known = this.#limits.get(`${projectId} ${name}`)?.lease
    if (known instanceof SharedRateLimiter && known.capacity === capacity) return known
    const renewSoon = () => this.#renewSoon()
    return this.#add(
      projectId,
      name,
      new SharedRateLimiter(capacity, { perSeconds, renewSoon, knownSince: this.#since }),
    )
  }

  /** Returns all shares to the database. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    clearImmediate(this.#soon)
    await this.#renewing
    if (this.#timer === undefined) return
    await returnShares(this.#options.database, this.#node).catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'failed to release shares of limits; they expire'),
    )
  }

  #add<L extends Entry['lease']>(projectId: string, name: string, lease: L): L {
    lease.usedAt = performance.now()
    this.#limits.set(`${projectId} ${name}`, { projectId, name, lease })
    this.#timer ??= setInterval(() => this.#renew(), this.#options.renewEveryMs ?? 1_000).unref()
    this.#renewSoon()
    return lease
  }

  /** Renews once for all requests of one iteration of the event loop. */
  #renewSoon(): void {
    if (this.#stopped) return
    this.#soon ??= setImmediate(() => {
      this.#soon = undefined
      this.#renew()
    })
  }

  #renew(): void {
    if (this.#stopped) return
    if (this.#renewing) {
      this.#again = [...this.#limits.values()].some(({ lease }) => !this.#asked.has(lease))
      return
    }
    this.#renewing = this.#lease().finally(() => {
      this.#renewing = undefined
      if (this.#again) this.#renewSoon()
      this.#again = false
    })
  }

  #asked = new WeakSet<Lease>()

  async #lease(): Promise<void> {
    const since = performance.now() - (this.#options.idleMs ?? 10_000)
    for (const [key, { lease }] of this.#limits) {
      if (lease.usedAt >= since || !lease.isIdle) continue
      this.#limits.delete(key)
      lease.isForgotten = true
    }
    const entries = [...this.#limits.values()]
    if (entries.length === 0) return
    for (const { lease } of entries) this.#asked.add(lease)
    const asks = entries.map(({ projectId, name, lease }) => {
      return { projectId, name, capacity: lease.capacity, wanted: lease.takeWanted(), needed: lease.needed }
    })
    try {
      const { database, leaseSeconds = 5 } = this.#options
      const shares = await leaseShares(database, this.#node, asks, leaseSeconds)
      for (const [at, { lease }] of entries.entries()) lease.granted(shares[at] ?? 0)
      for (const { lease } of entries) this.#leased.add(lease)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'failed to renew shares of limits')
      for (const { lease } of entries) if (!this.#leased.has(lease)) lease.granted(lease.capacity)
    }
  }

  readonly #leased = new WeakSet<Lease>()
}
