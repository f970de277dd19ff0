import { LRUCache } from 'lru-cache'

/** Requests of a credential in its current window, including the current request. */
export interface Standing {
  readonly remaining: number
  readonly msBeforeNext: number
  /** The credential exceeded its limit. */
  readonly isBeyond: boolean
}

/** Beyond this, the least recently used window is evicted; its second has passed by then. */
const windowsMax = 20_000
const windowMs = 1_000

/** Counts requests in memory, in windows of one second that begin with their first request. */
export class RequestWindows {
  readonly #rate: number
  readonly #windows = new LRUCache<string, { count: number; endsAt: number }>({ max: windowsMax })

  readonly #clock: () => number

  constructor(rate: number, clock = () => performance.now()) {
    this.#rate = rate
    this.#clock = clock
  }

  count(key: string): Standing {
    const at = this.#clock()
    let window = this.#windows.get(key)
    if (!window) {
      window = { count: 0, endsAt: at + windowMs }
      this.#windows.set(key, window)
    } else if (window.endsAt <= at) {
      window.count = 0
      window.endsAt = at + windowMs
    }
    const count = ++window.count
    return {
      remaining: Math.max(0, this.#rate - count),
      // Floating-point rounding can make the difference slightly larger than the window.
      msBeforeNext: Math.min(windowMs, window.endsAt - at),
      isBeyond: count > this.#rate,
    }
  }
}
