import type { Lease } from './lease.ts'

/** How many wait for each that may run; more are refused at once. */
const waitersPerPlace = 10

interface Waiter {
  resolve(admitted: boolean): void
  timer: NodeJS.Timeout
}

/**
 * At most so many at once, over all nodes; one more for each node while shares move, or where there are more nodes than
 * places.
 */
export class ConcurrencyLimit implements Lease {
  readonly capacity: number
  readonly #renewSoon: () => void
  readonly #waiters: Waiter[] = []
  #share = 0
  #running = 0
  #most = 0
  usedAt = 0
  isForgotten = false

  constructor(capacity: number, renewSoon: () => void) {
    this.capacity = capacity
    this.#renewSoon = renewSoon
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiters.length === 0
  }

  /** One at least, even if others hold the whole: a node that may do nothing would refuse all that its callers send. */
  get needed(): number {
    return Math.max(1, this.#running)
  }

  /** The most that ran or waited at once since it was asked last. */
  takeWanted(): number {
    const most = Math.max(1, this.#most)
    this.#most = this.#running + this.#waiters.length
    return most
  }

  /** True: it may run now, and `release` has to follow. False: it has to wait. */
  tryAcquire(): boolean {
    this.usedAt = performance.now()
    if (this.#running >= this.#share || this.#waiters.length > 0) return false
    this.#running++
    if (this.#running > this.#most) this.#most = this.#running
    return true
  }

  /** Waits for its turn; false when it has not come in time, or when too many wait already. */
  acquire(waitMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.tryAcquire()) return Promise.resolve(true)
    if (this.#waiters.length >= this.capacity * waitersPerPlace || signal?.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const leave = () => {
        const at = this.#waiters.indexOf(waiter)
        if (at < 0) return
        this.#waiters.splice(at, 1)
        waiter.resolve(false)
      }
      const waiter: Waiter = {
        resolve: (admitted) => {
          clearTimeout(waiter.timer)
          signal?.removeEventListener('abort', leave)
          resolve(admitted)
        },
        timer: setTimeout(leave, waitMs),
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiters.push(waiter)
      this.#most = Math.max(this.#most, this.#running + this.#waiters.length)
      if (this.#share === 0) this.#renewSoon()
    })
  }

  release(): void {
    this.#running--
    this.#admit()
  }

  granted(share: number): void {
    this.#share = share
    this.#admit()
  }

  #admit(): void {
    while (this.#running < this.#share) {
      const next = this.#waiters.shift()
      if (!next) return
      this.#running++
      next.resolve(true)
    }
  }
}
