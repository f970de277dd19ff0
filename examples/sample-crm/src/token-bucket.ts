/** Lets `perSecond` requests through, and `burst` at once after a pause. */
export interface TokenBucket {
  /** Seconds until a token is there; 0: one was taken. */
  take(): number
}

/** A full bucket. `perSecond` 0 never refuses. `clock` is in ms. */
export function createTokenBucket(perSecond: number, burst: number, clock: () => number): TokenBucket {
  let tokens = burst
  let filledAt = clock()
  return {
    take() {
      if (perSecond === 0) return 0
      const now = clock()
      tokens = Math.min(burst, tokens + (Math.max(0, now - filledAt) / 1_000) * perSecond)
      filledAt = now
      if (tokens < 1) return (1 - tokens) / perSecond
      tokens--
      return 0
    },
  }
}
