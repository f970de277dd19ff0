/** How fast messages go out. */
export interface DeliveryRate {
  /**
   * Takes one message of a project. Answers 0 when it may go out now, else the milliseconds after which to ask again.
   */
  take(projectId: string): number
}

/** What may go out at once after a pause, as a share of a second. */
const burstMs = 100
/** Whoever has to wait asks again no sooner: there is something to take for several messages then. */
const askAgainMs = 10
/** Projects beyond which those that have not sent lately are forgotten. */
const projectsMax = 1_000

/**
 * Counts in the memory of this process: each node grants the whole rate. For each project it knows one time, at which
 * the bucket would be full again; a message moves that by its share of a second, and has to wait while it lies further
 * ahead than a burst.
 *
 * @param perSecond messages that one project may send a second; 0 for no limit
 */
export function createDeliveryRate({ perSecond, now }: { perSecond: number; now: () => Date }): DeliveryRate {
  if (perSecond === 0) return { take: () => 0 }
  const intervalMs = 1_000 / perSecond
  // A rate below ten has one message at a time.
  const aheadMs = Math.max(burstMs, intervalMs)
  const fullAt = new Map<string, number>()
  return {
    take(projectId) {
      const time = now().getTime()
      if (fullAt.size > projectsMax) for (const [id, at] of fullAt) if (at <= time) fullAt.delete(id)
      // Further ahead than it can be, after a clock that was set back, counts as empty.
      const at = Math.min(Math.max(fullAt.get(projectId) ?? time, time), time + aheadMs)
      const tooEarlyMs = at + intervalMs - (time + aheadMs)
      // Times far from zero carry errors in their last digits.
      const mayGo = tooEarlyMs <= 0.001
      fullAt.set(projectId, mayGo ? at + intervalMs : at)
      return mayGo ? 0 : Math.max(askAgainMs, tooEarlyMs)
    },
  }
}
