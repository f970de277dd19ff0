import { LRUCache } from 'lru-cache'
import { GroupCounts, type ProcessGroup } from '../processes/index.ts'

/** Requests of a credential in its current window, including the current request. */
export interface Standing {
  readonly remaining: number
  readonly msBeforeNext: number
  /** The credential exceeded its limit. */
  readonly isBeyond: boolean
}

/** Counts requests by key, in windows of one second. */
export interface Windows {
  /** Counts a request. */
  count(key: string): Standing
  /** Returns the standing without counting a request. `isBeyond`: another request would exceed the limit. */
  look(key: string): Standing
}

/** Beyond this, the least recently used window is evicted; its second has passed by then. */
const windowsMax = 20_000
const windowMs = 1_000

/** Counts requests in memory, in windows of one second that begin with their first request. */
export class RequestWindows implements Windows {
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
    return this.#standing(++window.count, window.endsAt - at)
  }

  look(key: string): Standing {
    const at = this.#clock()
    const { count, endsAt } = this.#windows.get(key) ?? { count: 0, endsAt: at }
    return endsAt <= at ? this.#standing(1, windowMs) : this.#standing(count + 1, endsAt - at)
  }

  #standing(count: number, ms: number): Standing {
    return {
      remaining: Math.max(0, this.#rate - count),
      // Floating-point rounding can make the difference slightly larger than the window.
      msBeforeNext: Math.min(windowMs, ms),
      isBeyond: count > this.#rate,
    }
  }
}

/**
 * Counts requests of all processes of the service together, in windows that begin with each second of the clock that
 * the processes share. A process reports a key once it has had a twentieth of what each process may have of it: less
 * decides nothing, and most keys never reach it.
 */
export class GroupWindows implements Windows {
  readonly #rate: number
  readonly #quiet: number
  readonly #windows = new LRUCache<string, { second: number; own: number; reported: number; others: number }>({
    max: windowsMax,
  })
  readonly #counts: GroupCounts
  readonly #clock: () => number

  constructor(rate: number, group: ProcessGroup, topic: string, clock = () => Date.now()) {
    this.#rate = rate
    this.#quiet = rate / group.count / 20
    this.#clock = clock
    this.#counts = new GroupCounts(group, topic, (secondAndKey, count) => {
      const at = secondAndKey.indexOf(' ')
      const window = this.#window(secondAndKey.slice(at + 1), Number(secondAndKey.slice(0, at)))
      if (window) window.others += count
    })
  }

  count(key: string): Standing {
    const at = this.#clock()
    const second = Math.floor(at / windowMs)
    const window = this.#window(key, second)
    // The clock was set back: the requests of that second were counted.
    if (!window) return this.#standing(1, at)
    window.own++
    if (window.own > this.#quiet) {
      this.#counts.add(`${second} ${key}`, window.own - window.reported)
      window.reported = window.own
    }
    return this.#standing(window.own + window.others, at)
  }

  look(key: string): Standing {
    const at = this.#clock()
    const window = this.#windows.get(key)
    const isCurrent = window?.second === Math.floor(at / windowMs)
    return this.#standing(isCurrent ? window.own + window.others + 1 : 1, at)
  }

  /** Returns the window of a second; undefined when a later one has begun. */
  #window(key: string, second: number) {
    const known = this.#windows.get(key)
    if (known && known.second > second) return undefined
    if (known?.second === second) return known
    const begun = { second, own: 0, reported: 0, others: 0 }
    this.#windows.set(key, begun)
    return begun
  }

  #standing(count: number, at: number): Standing {
    return {
      remaining: Math.max(0, this.#rate - count),
      msBeforeNext: windowMs - (at % windowMs),
      isBeyond: count > this.#rate,
    }
  }
}
