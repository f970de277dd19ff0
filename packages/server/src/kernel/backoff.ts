/** When something that failed is tried again. */
export interface Backoff {
  /** Delay after the first failure, in milliseconds. */
  readonly firstMs: number
  /** Longest delay before jitter, in milliseconds. */
  readonly maxMs: number
  /** By how much each delay is longer than the one before. Defaults to 2. */
  readonly factor?: number
}

/** The part by which a delay varies, so that what failed together is not tried again together. */
const jitter = 0.2

/**
 * Returns the delay before the next attempt, in milliseconds, varied by up to a fifth.
 *
 * @param failures failures in a row before this one; 0 after the first
 * @param random from 0 to below 1
 */
export function backoffMs({ firstMs, maxMs, factor = 2 }: Backoff, failures: number, random: number): number {
  // A higher power changes nothing below any `maxMs`, and this one stays finite.
  return jittered(Math.min(firstMs * factor ** Math.min(failures, 60), maxMs), random)
}

/** Returns a delay varied by up to a fifth, in whole milliseconds. `random` is from 0 to below 1. */
export function jittered(ms: number, random: number): number {
  return Math.round(ms * (1 - jitter + 2 * jitter * random))
}
