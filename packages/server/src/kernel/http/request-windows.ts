import { LRUCache } from 'lru-cache'

/** What a credential has asked in its window of time, the request that is asked about included. */
export interface Standing {
  readonly remaining: number
  readonly msBeforeNext: number
  /** More than it may. */
  readonly isBeyond: boolean
}

/** Who has not asked for longest is let go first: nobody has a second's worth of requests behind so many others. */
const windowsMax = 20_000
const windowMs = 1_000

/**
 * Counts requests in windows of one second, each begun by the first request in it. In memory, and without anybody
 * waiting.
 */
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
      // A sum of fractions, taken apart again, may be a little more than what went into it.
      msBeforeNext: Math.min(windowMs, window.endsAt - at),
      isBeyond: count > this.#rate,
    }
  }
}
