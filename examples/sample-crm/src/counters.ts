/** What was asked and answered since the start. */
export interface SampleCrmCounters {
  readonly requests: number
  /** Answered 401. */
  readonly unauthorized: number
  /** Answered 429 by the rate limit. */
  readonly rateLimited: number
  /** Failures that `failNext` ordered. */
  readonly failed: number
  /** List pages answered with 200. */
  readonly pages: number
  /** Records on those pages. */
  readonly records: number
}
