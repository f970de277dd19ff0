import type { RateLimiter, SharedRateLimiter, TakeOptions } from './rate-limiter.ts'

/**
 * Combines several limits: a permit needs one permit of each, and takes all of them in the same moment, or none. A
 * caller that waits for the next limit reserves its permits of the previous ones. Callers that share two limits must
 * therefore use the same order, which prevents deadlocks. With the narrower limit first, a reserved permit only blocks
 * callers that need everything it waits for.
 */
export class JointRateLimiter implements RateLimiter {
  readonly #limits: readonly (() => SharedRateLimiter)[]

  /** @param limits functions that return the current limiter at each use, because an idle one is forgotten */
  constructor(limits: readonly (() => SharedRateLimiter)[]) {
    this.#limits = limits
  }

  get intervalMs(): number {
    return Math.max(...this.#limits.map((limit) => limit().intervalMs))
  }

  waitMs(options: TakeOptions = {}): number {
    const limits = this.#limits.map((limit) => limit())
    // A caller that waits at one limit reaches the others before a new caller does.
    const before = Math.max(...limits.map((limit) => limit.before(options)))
    return Math.max(...limits.map((limit) => limit.waitMs(options, before)))
  }

  async take(waitMs: number, options: TakeOptions = {}): Promise<boolean> {
    for (const limit of this.#limits) limit().asked()
    if (this.waitMs(options) > waitMs) return false
    const until = performance.now() + waitMs
    const reserved: SharedRateLimiter[] = []
    for (const next of this.#limits) {
      const limit = next()
      if (!(await limit.reserve(Math.max(0, until - performance.now()), options))) {
        for (const one of reserved) one.letGo()
        return false
      }
      reserved.push(limit)
    }
    for (const limit of reserved) limit.use()
    return true
  }
}
