/** A secret that was replaced and still counts, until then. */
export interface PreviousSecret {
  encrypted: string
  /** RFC 3339. */
  until: string
}

const overlapMs = 24 * 60 * 60 * 1_000
const previousMax = 10

/** The replaced secrets after one more was replaced, newest first: each counts for a day more, at most ten of them. */
export function afterRotation(replaced: string, previous: readonly PreviousSecret[], now: Date): PreviousSecret[] {
  const until = new Date(now.getTime() + overlapMs).toISOString()
  return [{ encrypted: replaced, until }, ...validSecrets(previous, now)].slice(0, previousMax)
}

/** Those of the replaced secrets that still count. */
export function validSecrets(previous: readonly PreviousSecret[], now: Date): PreviousSecret[] {
  return previous.filter(({ until }) => new Date(until) > now)
}
