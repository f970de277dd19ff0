/** The provider refuses the grant (`invalid_grant`), the client or the request: asking again changes nothing. */
export class TokenRefused extends Error {
  override name = 'TokenRefused'
  /**
   * The `error` that the provider answered (RFC 6749, 5.2); `unspecified` where it gave none. Our own words:
   * `no_endpoint`, `no_client`, `no_refresh_token`, `invalid_inputs`, `host_not_allowed`,
   * `token_type_not_supported`.
   */
  readonly error: string
  constructor(error: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.error = error
  }
}

/** The provider cannot be reached, is overloaded or broken: asking again later may succeed. */
export class TokenUnavailable extends Error {
  override name = 'TokenUnavailable'
  readonly retryAfterMs: number | undefined
  constructor(message: string, { retryAfterMs, cause }: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}
