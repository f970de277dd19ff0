import { jittered } from '../../../kernel/backoff.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** How long after a failed attempt the next one follows; the first attempt is immediate. */
export const retryScheduleMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour] as const

/**
 * Returns when to retry a message.
 *
 * @param failures attempts that have failed, at least 1
 * @param random from 0 to below 1
 * @param retryAfterMs what the receiver requested, honored from once to twice the delay
 * @returns ms from now, or undefined after the last attempt
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs?: number): number | undefined {
  const delay = retryScheduleMs[failures - 1]
  if (delay === undefined) return undefined
  const ms = jittered(delay, random)
  return retryAfterMs === undefined ? ms : Math.max(ms, Math.min(retryAfterMs, 2 * delay))
}

/**
 * Returns when to probe a destination whose attempts all fail: the same schedule, whose last delay repeats.
 *
 * @param probes probes that have failed since its messages wait
 * @param random from 0 to below 1
 */
export function probeDelayMs(probes: number, random: number): number {
  const delay = retryScheduleMs[Math.min(probes, retryScheduleMs.length - 1)] ?? 10 * hour
  return jittered(delay, random)
}
