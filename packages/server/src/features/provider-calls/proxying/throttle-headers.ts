/**
 * Returns the headers that announce a wait to callers in throttle mode, under both names. The date has the format that
 * their clients expect (`… UTC`).
 */
export function throttleHeaders(until: Date): Record<string, string> {
  // Rounded up to whole seconds, so that no client retries too early.
  const date = new Date(Math.ceil(until.getTime() / 1000) * 1000).toUTCString().replace(/GMT$/, 'UTC')
  return {
    'X-Amp-Retry-After': date,
    'X-Amp-Retryable': 'true',
    'X-Mortise-Retry-After': date,
    'X-Mortise-Retryable': 'true',
  }
}
