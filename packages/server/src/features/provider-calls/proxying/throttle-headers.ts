/**
 * What a caller in throttle mode is told of a wait, under both names; the date in the form that its clients know (`…
 * UTC`).
 */
export function throttleHeaders(until: Date): Record<string, string> {
  // Whole seconds: rounded up, so that nobody comes too early.
  const date = new Date(Math.ceil(until.getTime() / 1000) * 1000).toUTCString().replace(/GMT$/, 'UTC')
  return {
    'X-Amp-Retry-After': date,
    'X-Amp-Retryable': 'true',
    'X-Mortise-Retry-After': date,
    'X-Mortise-Retryable': 'true',
  }
}
