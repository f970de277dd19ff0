const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** How long after a failed attempt the next one follows; the first attempt is immediate. */
export const ladderMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour] as const

/** A rung is stretched or shortened by up to this part, so that messages that failed together do not come back together. */
const jitter = 0.2

/**
 * When a message is tried again.
 *
 * @param failures attempts that have failed, at least 1
 * @param random from 0 to below 1
 * @param retryAfterMs what the receiver asked for; heard between the rung and twice the rung
 * @returns ms from now, or undefined when every rung has been used
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs?: number): number | undefined {
  const rung = ladderMs[failures - 1]
  if (rung === undefined) return undefined
  const jittered = Math.round(rung * (1 - jitter + 2 * jitter * random))
  if (retryAfterMs === undefined) return jittered
  return Math.max(jittered, Math.min(retryAfterMs, 2 * rung))
}

/**
 * When a destination whose attempts all fail is probed again: the same ladder, whose last rung repeats.
 *
 * @param probes probes that have failed since deliveries were held
 * @param random from 0 to below 1
 */
export function probeDelayMs(probes: number, random: number): number {
  const rung = ladderMs[Math.min(probes, ladderMs.length - 1)] ?? 10 * hour
  return Math.round(rung * (1 - jitter + 2 * jitter * random))
}

/** Reads `Retry-After` (RFC 9110 10.2.3): seconds, or a date. Undefined when it is neither, or lies in the past. */
export function readRetryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * second
  const ms = /^[A-Z][a-z]{2,8}, /.test(header) ? Date.parse(header) - now.getTime() : Number.NaN
  return ms > 0 ? ms : undefined
}
