/** Delays between the end of a process and its next start. */
const firstDelayMs = 100
const delayMsMax = 5_000
/** With more ends than this within the interval, starting again does not help. */
const endsMax = 10
const intervalMs = 60_000

/**
 * Decides when a process that ended is started again, and when to stop trying, as a service manager does: each end
 * within a minute doubles the delay, and too many of them are the limit.
 */
export class RestartLimit {
  #ends: number[] = []

  /** Counts an end. Returns the delay until the next start; undefined when the limit is reached. */
  next(now: number): number | undefined {
    this.#ends = [...this.#ends.filter((at) => at > now - intervalMs), now]
    if (this.#ends.length > endsMax) return undefined
    return Math.min(delayMsMax, firstDelayMs * 2 ** (this.#ends.length - 1))
  }
}
