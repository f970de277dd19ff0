/** Reads `Retry-After` (RFC 9110 10.2.3): seconds, or a date. Undefined when it is neither, or lies in the past. */
export function readRetryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const ms = /^[A-Z][a-z]{2,8}, /.test(header) ? Date.parse(header) - now.getTime() : Number.NaN
  return ms > 0 ? ms : undefined
}
