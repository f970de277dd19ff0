import type { Lease } from './shared-limits.ts'

/** At most so many in so many seconds, over all nodes: spread evenly, with one second's worth at once. */
export class PaceLimit implements Lease {
  readonly capacity: number
  readonly #periodMs: number
  readonly #renewSoon: () => void
  readonly #waiting = new Set<() => void>()
  #share = 0
  /** When the next one is due if all went evenly. */
  #next = 0
  #taken = 0
  usedAt = 0
  isForgotten = false

  constructor(capacity: number, perSeconds: number, renewSoon: () => void) {
    this.capacity = capacity
    this.#periodMs = perSeconds * 1000
    this.#renewSoon = renewSoon
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0
  }

  /** A share that shrinks takes effect with the next one that is taken. */
  get needed(): number {
    return 0
  }

  takeWanted(): number {
    const wanted = Math.max(1, this.#taken + this.#waiting.size)
    this.#taken = 0
    return wanted
  }

  /** Takes one. True when it may go now; false when its turn does not come in time. */
  async take(waitMs: number): Promise<boolean> {
    const deadline = performance.now() + waitMs
    this.usedAt = performance.now()
    this.#taken++
    while (this.#share === 0) {
      const left = deadline - performance.now()
      if (left <= 0) return false
      this.#renewSoon()
      await this.#nextGrant(left)
    }
    const now = performance.now()
    // What may go at once is taken off the pace, so that no period holds more than the share.
    const burst = Math.min(this.#share - 1, Math.floor((this.#share * 1000) / this.#periodMs))
    const intervalMs = this.#periodMs / (this.#share - burst)
    const waiting = this.#next - burst * intervalMs - now
    if (waiting > deadline - now) return false
    this.#next = Math.max(this.#next, now) + intervalMs
    if (waiting > 0) await new Promise((resolve) => setTimeout(resolve, waiting))
    return true
  }

  granted(share: number): void {
    this.#share = share
    for (const wake of this.#waiting) wake()
  }

  #nextGrant(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, waitMs)
      this.#waiting.add(wake)
    })
  }
}
