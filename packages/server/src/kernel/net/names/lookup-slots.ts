import { ResolverBusy } from './resolver-busy.ts'

export interface SlotLimits {
  /** Maximum number of simultaneous lookups of one project. */
  perKey: number
  /** Maximum number of simultaneous lookups of all projects. */
  total: number
  /** How long a lookup waits for a slot of its project before it fails as `ResolverBusy`. */
  waitMs: number
  /** Maximum number of lookups of one project that wait for a slot; further ones fail immediately. */
  waiting: number
  /** A lookup that takes longer ends early, as too slow, when its project needs the slot for another name. */
  lateMs: number
  /** Default true. False for work that cannot be canceled: a slot is taken until the work has really ended. */
  evicts?: boolean
}

interface Slot {
  ended: AbortController
  begun: number
  /** Ends the lookup as too slow. */
  late: () => Error
}

/**
 * Limits simultaneous lookups fairly between projects, so that names that never resolve do not block other lookups. A
 * project at its own limit ends its oldest lookup early once that is late. Before that it waits for a moment, unless
 * most of its lookups are slow. When all slots are taken, a project with fewer slots takes one from the project with
 * the most: the oldest lookup there ends as `ResolverBusy`.
 */
export class LookupSlots {
  readonly #limits: SlotLimits
  readonly #held = new Map<string, Set<Slot>>()
  readonly #waiting = new Map<string, Set<() => void>>()
  #count = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /**
   * Runs `work` in a slot of the project. Its signal fires when the slot passes to another lookup.
   *
   * @param late the error of a lookup that ended early because it was too slow
   * @throws ResolverBusy when there is no slot in time, or another project took the slot
   */
  async run<T>(key: string, work: (signal: AbortSignal) => Promise<T>, late: () => Error): Promise<T> {
    while (this.#heldBy(key) >= this.#limits.perKey) if (!this.#endLate(key)) await this.#freeSlot(key)
    if (this.#count >= this.#limits.total) this.#evictFor(key)
    const slot = { ended: new AbortController(), begun: performance.now(), late }
    this.#hold(key, slot)
    try {
      const { signal } = slot.ended
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
      return await Promise.race([work(signal), aborted])
    } finally {
      this.#release(key, slot)
    }
  }

  /** Returns whether the project has no free slot and would get none in time. */
  isBusy(key: string): boolean {
    const [oldest] = this.#held.get(key) ?? []
    if (oldest === undefined || this.#heldBy(key) < this.#limits.perKey) return false
    return !this.#isLate(oldest) && this.#isSlow(key)
  }

  #heldBy(key: string): number {
    return this.#held.get(key)?.size ?? 0
  }

  #hold(key: string, slot: Slot): void {
    const slots = this.#held.get(key) ?? new Set()
    this.#held.set(key, slots.add(slot))
    this.#count++
  }

  #release(key: string, slot: Slot): void {
    const slots = this.#held.get(key)
    if (!slots?.delete(slot)) return
    this.#count--
    if (slots.size === 0) this.#held.delete(key)
    this.#waiting.get(key)?.values().next().value?.()
  }

  /** Frees the slot of the project's oldest lookup if that is late. */
  #endLate(key: string): boolean {
    const [oldest] = this.#held.get(key) ?? []
    if (oldest === undefined || this.#limits.evicts === false) return false
    if (!this.#isLate(oldest)) return false
    this.#end(key, oldest, oldest.late())
    return true
  }

  #isLate({ begun }: Slot): boolean {
    return performance.now() - begun >= this.#limits.lateMs
  }

  #end(key: string, slot: Slot, reason: Error): void {
    this.#release(key, slot)
    slot.ended.abort(reason)
  }

  /** Waits until a slot of the project is free. */
  #freeSlot(key: string): Promise<void> {
    const waiting = this.#waiting.get(key) ?? new Set()
    if (waiting.size >= this.#limits.waiting || this.#isSlow(key)) throw new ResolverBusy()
    this.#waiting.set(key, waiting)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        waiting.delete(wake)
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key)
      }
      const wake = () => {
        leave()
        resolve()
      }
      const timer = setTimeout(() => {
        leave()
        reject(new ResolverBusy())
      }, this.#limits.waitMs)
      waiting.add(wake)
    })
  }

  /**
   * Returns whether most lookups of the project take longer than the maximum wait: a slot would hardly become free in
   * time.
   */
  #isSlow(key: string): boolean {
    const { perKey, waitMs } = this.#limits
    const since = performance.now() - waitMs
    return [...(this.#held.get(key) ?? [])].filter(({ begun }) => begun > since).length * 2 < perKey
  }

  #evictFor(key: string): void {
    if (this.#limits.evicts === false) throw new ResolverBusy()
    let most: { key: string; slots: Set<Slot> } | undefined
    for (const [holder, slots] of this.#held) if (slots.size > (most?.slots.size ?? 0)) most = { key: holder, slots }
    if (most === undefined || most.slots.size <= this.#heldBy(key)) throw new ResolverBusy()
    const [oldest] = most.slots
    if (oldest === undefined) throw new ResolverBusy()
    this.#end(most.key, oldest, new ResolverBusy())
  }
}
