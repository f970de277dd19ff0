import type { RateLimiter, SharedRateLimiter, TakeOptions } from './rate-limiter.ts'

/**
 * Several limits that hold at once: a turn is one under each of them, and all are taken in the same moment, or none.
 * Whoever waits for the next limit holds its turn at those before it, so everybody who shares two limits has to come
 * through them in the same order: then nobody waits in a circle. With the narrower limit first, only those wait behind
 * such a turn who need all that it waits for.
 */
export class JointRateLimiter implements RateLimiter {
  readonly #limits: readonly (() => SharedRateLimiter)[]

  /** @param limits each asked for anew at each use: one that nobody uses is forgotten */
  constructor(limits: readonly (() => SharedRateLimiter)[]) {
    this.#limits = limits
  }

  get intervalMs(): number {
    return Math.max(...this.#limits.map((limit) => limit().intervalMs))
  }

  waitMs(options: TakeOptions = {}): number {
    const limits = this.#limits.map((limit) => limit())
    // Who waits at one of them comes to the others before whoever asks now.
    const before = Math.max(...limits.map((limit) => limit.before(options)))
    return Math.max(...limits.map((limit) => limit.waitMs(options, before)))
  }

  async take(waitMs: number, options: TakeOptions = {}): Promise<boolean> {
    for (const limit of this.#limits) limit().asked()
    if (this.waitMs(options) > waitMs) return false
    const until = performance.now() + waitMs
    const held: SharedRateLimiter[] = []
    for (const next of this.#limits) {
      const limit = next()
      if (!(await limit.hold(Math.max(0, until - performance.now()), options))) {
        for (const one of held) one.letGo()
        return false
      }
      held.push(limit)
    }
    for (const limit of held) limit.use()
    return true
  }
}
