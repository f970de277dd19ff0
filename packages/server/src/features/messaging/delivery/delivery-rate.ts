import { GroupCounts, type ProcessGroup } from '../../../kernel/processes/index.ts'

/** Limits the rate of delivery. */
export interface DeliveryRate {
  /**
   * Takes one message of a project. Returns 0 if it may be sent now, otherwise the milliseconds until the next call.
   */
  take(projectId: string): number
}

/** Size of a burst after a pause, as a share of a second. */
const burstMs = 100
/** Minimum wait between two calls, after which several messages may be sent. */
const askAgainMs = 10
/** Number of projects above which idle ones are removed from memory. */
const projectsMax = 1_000

/**
 * Counts in the memory of this process: each node grants the whole rate, and its processes grant it together. Stores
 * one time per project, at which its bucket would be full again. A message moves this time by its share of a second,
 * and waits while it lies further ahead than a burst.
 *
 * @param perSecond messages that one project may send per second; 0 for no limit
 */
export function createDeliveryRate({
  perSecond,
  now,
  group,
}: {
  perSecond: number
  now: () => Date
  group?: ProcessGroup | undefined
}): DeliveryRate {
  if (perSecond === 0) return { take: () => 0 }
  const intervalMs = 1_000 / perSecond
  // A rate below ten has a burst of one message.
  const aheadMs = Math.max(burstMs, intervalMs)
  const fullAt = new Map<string, number>()
  const taken =
    group &&
    new GroupCounts(group, 'deliveries', (projectId, count) => {
      const time = now().getTime()
      fullAt.set(projectId, Math.max(fullAt.get(projectId) ?? time, time) + count * intervalMs)
    })
  return {
    take(projectId) {
      const time = now().getTime()
      if (fullAt.size > projectsMax) for (const [id, at] of fullAt) if (at <= time) fullAt.delete(id)
      // A time further ahead than possible, after the clock was set back, counts as an empty bucket.
      const at = Math.min(Math.max(fullAt.get(projectId) ?? time, time), time + aheadMs)
      const tooEarlyMs = at + intervalMs - (time + aheadMs)
      // Times far from zero have rounding errors in their last digits.
      const mayGo = tooEarlyMs <= 0.001
      fullAt.set(projectId, mayGo ? at + intervalMs : at)
      if (mayGo) taken?.add(projectId, 1)
      return mayGo ? 0 : Math.max(askAgainMs, tooEarlyMs)
    },
  }
}
