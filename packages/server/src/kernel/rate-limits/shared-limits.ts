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
  /** A share that is not renewed for so long is the others'. Default 5. */
  leaseSeconds?: number
  /** Between two renewals. Default 1,000. */
  renewEveryMs?: number
  /**
   * A limit that nobody has used for so long, and that has rested, is forgotten, and its share with it. Default 10,000.
   */
  idleMs?: number
}

interface Entry {
  projectId: string
  name: string
  lease: ConcurrencyLimit | SharedRateLimiter
}

/**
 * Limits that all nodes keep together. Each node counts in memory, within a share of the whole that it leases from the
 * database: one statement a second for all of its limits, and none for each use. Shares follow what the nodes want;
 * what is leased is not leased twice. The first use of a limit waits for its first share. While the database is away
 * each node goes on with what it had, or with the whole where it had nothing: a limit that others keep too is no reason
 * to stop.
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

  /** The limit of this name: at most `capacity` at once. */
  concurrency(projectId: string, name: string, capacity: number): ConcurrencyLimit {
    const known = this.#limits.get(`${projectId} ${name}`)?.lease
    if (known instanceof ConcurrencyLimit && known.capacity === capacity) return known
    return this.#add(projectId, name, new ConcurrencyLimit(capacity, () => this.#renewSoon()))
  }

  /** The limit of this name: at most `capacity` in `perSeconds`. */
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

  /** Gives all shares back. */
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

  /** What is asked for in one turn of the loop is asked for together. */
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
