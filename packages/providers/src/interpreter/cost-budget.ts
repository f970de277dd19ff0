/** What a response reports about a limit that counts cost. */
export interface CostReport {
  remaining: number
  /** Units that are restored in a second. */
  restoredPerSecond?: number | undefined
  /** The most units that are there at a time. */
  maximum?: number | undefined
  /** Milliseconds until all units are there again. */
  resetMs?: number | undefined
}

/**
 * The units that are left of a provider's limit on cost: as the latest response reports them, with what was restored
 * since, and without the units of requests that have no response yet. It is the budget of one connection; all requests
 * of a node can share it.
 */
export class CostBudget {
  #known: { remaining: number; at: number; restoredPerSecond: number; maximum: number; resetAt: number } | undefined
  #underWay = 0
  readonly #costs = new WeakMap<object, number>()
  #latestCost = 1

  /** Returns what a request will cost: what it cost before, or what the latest other request did. */
  expectedCost(kind: object): number {
    return this.#costs.get(kind) ?? this.#latestCost
  }

  /** Stores what a request has cost. @param kind identifies requests of one cost */
  spent(kind: object, cost: number): void {
    this.#costs.set(kind, cost)
    this.#latestCost = cost
  }

  /**
   * Returns the milliseconds from now until the units of a request are there; 0 if they are, or if nobody knows when.
   *
   * @param now milliseconds since 1970
   */
  waitMs(cost: number, now: number): number {
    if (this.#known === undefined) return 0
    const { remaining, at, restoredPerSecond, maximum, resetAt } = this.#known
    if (now >= resetAt) return 0
    const restored = (restoredPerSecond * Math.max(0, now - at)) / 1000
    const left = Math.min(maximum, remaining + restored) - this.#underWay
    // A request that needs more than there ever is has the provider's answer, and not an endless wait.
    const missing = Math.min(cost, maximum) - left
    if (missing <= 0) return 0
    if (restoredPerSecond > 0) return Math.ceil((missing / restoredPerSecond) * 1000)
    return Number.isFinite(resetAt) ? resetAt - now : 0
  }

  /** Counts a request that is sent. Call the result once, when its response has arrived or never will. */
  begin(cost: number): () => void {
    this.#underWay += cost
    return () => {
      this.#underWay -= cost
    }
  }

  /** Takes over what a response reports. @param now milliseconds since 1970 */
  learn({ remaining, restoredPerSecond = 0, maximum, resetMs }: CostReport, now: number): void {
    this.#known = {
      remaining,
      at: now,
      restoredPerSecond,
      maximum: maximum ?? Number.POSITIVE_INFINITY,
      resetAt: resetMs === undefined ? Number.POSITIVE_INFINITY : now + resetMs,
    }
  }
}
