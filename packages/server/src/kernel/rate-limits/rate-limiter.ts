import type { Lease } from './lease.ts'

/**
 * Requests may arrive later than they were sent: a period is extended by this part of it, and by half a second at most.
 */
const latePart = 1 / 4
const lateMostMs = 500
/** A node without a share waits for one permit of the others, but not forever when permits are rare. */
const newcomerMostMs = 5_000

export interface TakeOptions {
  /** Aborts the wait. */
  signal?: AbortSignal | undefined
  /** Marks background work. While both kinds wait, background and interactive callers alternate. */
  isBackground?: boolean
}

/** A source of permits: one limit, or several together. */
export interface RateLimiter {
  /** Current interval between two permits. */
  readonly intervalMs: number
  /** Estimates how long a new caller would wait; 0 before the first share arrives. */
  waitMs(options?: TakeOptions): number
  /** Takes a permit. Returns true when the caller may continue, or false when no permit is free in time. */
  take(waitMs: number, options?: TakeOptions): Promise<boolean>
}

interface Waiter {
  /** Reserves the permit instead of taking it immediately. */
  reserves: boolean
  resolve(isGranted: boolean): void
}

export interface RateLimiterOptions {
  perSeconds: number
  renewSoon(): void
  /** `performance.now()` since when this node would know of permits that were taken here. */
  knownSince: number
}

/**
 * Limits the rate to `capacity` per period over all nodes. Permits are spread evenly, with a burst of a tenth of them
 * after an idle time. No period exceeds the limit, whenever it begins, also while shares move between nodes.
 */
export class SharedRateLimiter implements Lease, RateLimiter {
  readonly capacity: number
  readonly #periodMs: number
  readonly #renewSoon: () => void
  readonly #knownSince: number
  readonly #queues: { interactive: Waiter[]; background: Waiter[] } = { interactive: [], background: [] }
  #timer: NodeJS.Timeout | undefined
  #interactiveIsNext = true
  #share = 0
  /** Other nodes lease the entire capacity. */
  #isWithout = false
  /** A permit is reserved, neither taken nor returned: nobody else gets one. */
  #isReserved = false
  /** When the next permit is due at an even rate. */
  #next = 0
  #taken = 0
  usedAt = 0
  isForgotten = false

  constructor(capacity: number, { perSeconds, renewSoon, knownSince }: RateLimiterOptions) {
    this.capacity = capacity
    const periodMs = perSeconds * 1000
    this.#periodMs = periodMs + Math.min(periodMs * latePart, lateMostMs)
    this.#renewSoon = renewSoon
    this.#knownSince = knownSince
  }

  /** Returns whether the limiter may be forgotten. Earlier, forgetting would grant the taken permits again. */
  get isIdle(): boolean {
    return this.#waiting === 0 && !this.#isReserved && this.#next <= performance.now()
  }

  /** A smaller share takes effect with the next permit; a reserved permit remains. */
  get needed(): number {
    return this.#isReserved ? 1 : 0
  }

  takeWanted(): number {
    const wanted = Math.max(1, this.#taken + this.#waiting)
    this.#taken = 0
    return wanted
  }

  /** Returns how many callers get their permits before a new one. */
  before({ isBackground = false }: TakeOptions = {}): number {
    const { interactive, background } = this.#queues
    const [mine, theirs] = isBackground
      ? [background.length, interactive.length]
      : [interactive.length, background.length]
    return (this.#isReserved ? 1 : 0) + mine + Math.min(mine + 1, theirs)
  }

  waitMs(options: TakeOptions = {}, before = this.before(options)): number {
    if (this.#share === 0) return 0
    return Math.max(0, Math.max(0, this.#next - performance.now()) + (before - this.#burst) * this.intervalMs)
  }

  take(waitMs: number, options: TakeOptions = {}): Promise<boolean> {
    this.asked()
    return this.#permit(waitMs, options, false)
  }

  /** Counts a request for a permit, granted or not; the share follows from it. */
  asked(): void {
    this.usedAt = performance.now()
    this.#taken++
  }

  /** Reserves a permit without taking it; all other callers wait until `use` or `letGo`. */
  reserve(waitMs: number, options: TakeOptions = {}): Promise<boolean> {
    return this.#permit(waitMs, options, true)
  }

  /** Takes the reserved permit. */
  use(): void {
    this.#advance()
    this.letGo()
  }

  /** Passes the reserved permit to the next caller. */
  letGo(): void {
    this.#isReserved = false
    this.#grantNext()
  }

  #permit(waitMs: number, options: TakeOptions, reserves: boolean): Promise<boolean> {
    const { signal, isBackground = false } = options
    if (signal?.aborted) return Promise.resolve(false)
    if (this.#share > 0) {
      if (this.#waiting === 0 && !this.#isReserved && this.#readyInMs() <= 0) {
        this.#give(reserves)
        return Promise.resolve(true)
      }
      if (this.waitMs(options) > waitMs) return Promise.resolve(false)
    }
    const queue = isBackground ? this.#queues.background : this.#queues.interactive
    return new Promise((resolve) => {
      const leave = () => {
        const at = queue.indexOf(waiter)
        if (at >= 0) queue.splice(at, 1)
        waiter.resolve(false)
      }
      const timer = setTimeout(leave, waitMs)
      const waiter: Waiter = {
        reserves,
        resolve(isGranted) {
          clearTimeout(timer)
          signal?.removeEventListener('abort', leave)
          resolve(isGranted)
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      queue.push(waiter)
      if (this.#share === 0) this.#renewSoon()
      else this.#grantNext()
    })
  }

  granted(share: number): void {
    if (share > this.#share) {
      // Permits that another node returned may have been used just now. A fully free capacity is unused since this node
      // began or was idle, because nodes return shares only after an idle time.
      const isUnused = this.#share === 0 && !this.#isWithout && share === this.capacity
      this.#share = share
      const soonestMs = this.#isWithout ? Math.min(this.intervalMs, newcomerMostMs) : 0
      const usedAt = isUnused ? this.#knownSince : performance.now()
      this.#next = Math.max(this.#next, usedAt + this.#burst * this.intervalMs + soonestMs)
    }
    this.#share = share
    this.#isWithout = share === 0
    this.#grantNext()
  }

  get #waiting(): number {
    return this.#queues.interactive.length + this.#queues.background.length
  }

  /** The burst is subtracted from the rate. */
  get #burst(): number {
    return Math.floor(this.#share / 10)
  }

  /** Interval between two permits at the current share, or at the full capacity before there is one. */
  get intervalMs(): number {
    return this.#periodMs / (this.#share - this.#burst || this.capacity)
  }

  #readyInMs(): number {
    return this.#next - this.#burst * this.intervalMs - performance.now()
  }

  #give(reserves: boolean): void {
    if (reserves) this.#isReserved = true
    else this.#advance()
  }

  #advance(): void {
    this.#next = Math.max(this.#next, performance.now()) + this.intervalMs
  }

  #grantNext(): void {
    clearTimeout(this.#timer)
    while (this.#share > 0 && !this.#isReserved) {
      const { interactive, background } = this.#queues
      const isInteractive = background.length === 0 || (interactive.length > 0 && this.#interactiveIsNext)
      const queue = isInteractive ? interactive : background
      if (queue.length === 0) return
      const ms = this.#readyInMs()
      if (ms > 0) {
        this.#timer = setTimeout(() => this.#grantNext(), Math.ceil(ms))
        return
      }
      const next = queue.shift()
      this.#give(next?.reserves === true)
      this.#interactiveIsNext = !isInteractive
      next?.resolve(true)
    }
  }
}
