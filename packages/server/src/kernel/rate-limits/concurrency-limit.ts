import type { Lease } from './lease.ts'

/** Maximum number of waiters per slot; more are refused immediately. */
const waitersPerSlot = 10

interface Waiter {
  resolve(granted: boolean): void
  timer: NodeJS.Timeout
}

/**
 * Limits concurrency to `capacity` over all nodes. Each node may exceed it by one while shares move, or when there are
 * more nodes than slots.
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

  /** At least one, even if other nodes lease the entire capacity: otherwise this node would refuse all requests. */
  get needed(): number {
    return Math.max(1, this.#running)
  }

  /** Returns the highest number of running and waiting callers since the last call. */
  takeWanted(): number {
    const most = Math.max(1, this.#most)
    this.#most = this.#running + this.#waiters.length
    return most
  }

  /** Takes a slot and returns true; the caller must then call `release`. Returns false when it has to wait. */
  tryAcquire(): boolean {
    this.usedAt = performance.now()
    if (this.#running >= this.#share || this.#waiters.length > 0) return false
    this.#running++
    if (this.#running > this.#most) this.#most = this.#running
    return true
  }

  /** Waits for a slot. Returns false after `waitMs`, or immediately when too many wait already. */
  acquire(waitMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.tryAcquire()) return Promise.resolve(true)
    if (this.#waiters.length >= this.capacity * waitersPerSlot || signal?.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const leave = () => {
        const at = this.#waiters.indexOf(waiter)
        if (at < 0) return
        this.#waiters.splice(at, 1)
        waiter.resolve(false)
      }
      const waiter: Waiter = {
        resolve: (granted) => {
          clearTimeout(waiter.timer)
          signal?.removeEventListener('abort', leave)
          resolve(granted)
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
