/**
 * The provider refuses what the customer or the provider app gave, or answers with something that cannot be used:
 * asking again with the same changes nothing. `message` is one public sentence without any secret.
 */
export class CustomAuthRefused extends Error {
  override name = 'CustomAuthRefused'
  /**
   * The provider's word for it (RFC 6749, 5.2), or one of ours: `unusable_key`, `unusable_answer`, `unusable_inputs`,
   * `state_mismatch`.
   */
  readonly error: string
  constructor(error: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.error = error
  }
}

/** The provider cannot be reached, is overloaded or broken: asking again later may succeed. */
export class CustomAuthUnavailable extends Error {
  override name = 'CustomAuthUnavailable'
  readonly retryAfterMs: number | undefined
  constructor(message: string, { retryAfterMs, cause }: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}
