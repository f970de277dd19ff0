import { hash } from 'node:crypto'
import { nextTick, repeatInterval } from '@mortise/manifest'
import { LRUCache } from 'lru-cache'

/** Intervals by schedule: computing one takes as long as hundreds of ticks. */
const intervals = new LRUCache<string, { ms: number | undefined }>({
  max: 1_000,
  memoMethod: (schedule) => ({ ms: repeatInterval(schedule) }),
})

/**
 * Returns the next scheduled read of an installation after a time. Each installation has a constant offset, so that
 * the installations of one manifest are not all due in the same second (decision 0057):
 *
 * - within the interval, for a schedule that repeats within a day without naming hours;
 * - within `spreadMs`, for all other schedules.
 *
 * @param spreadMs 0 for no offsets at all
 */
export function nextRun(
  schedule: string,
  { after, installationId, spreadMs }: { after: Date; installationId: string; spreadMs: number },
): Date {
  const offsetMs = scheduleOffsetMs(schedule, { installationId, spreadMs })
  return new Date(nextTick(schedule, new Date(after.getTime() - offsetMs)).getTime() + offsetMs)
}

/** Returns how long after the ticks of a schedule an installation is read: the same for all runs and on all nodes. */
export function scheduleOffsetMs(
  schedule: string,
  { installationId, spreadMs }: { installationId: string; spreadMs: number },
): number {
  const rangeMs = spreadMs === 0 ? 0 : (intervals.memo(schedule).ms ?? spreadMs)
  return Math.floor(shareOf(installationId) * rangeMs)
}

/** Maps an id evenly to [0, 1). The ids of installations that were created together begin with the same time. */
function shareOf(id: string): number {
  return hash('sha256', id, 'buffer').readUInt32BE() / 2 ** 32
}
