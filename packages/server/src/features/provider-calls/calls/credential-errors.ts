/**
 * There is no usable credential: the provider refused to renew it, or there is nothing to renew it with. The connection
 * is `bad_credentials`.
 */
export class CredentialRefused extends Error {
  override name = 'CredentialRefused'
}

/** The credential needs a renewal, and the provider is not available for it. The connection does not change. */
export class CredentialUnavailable extends Error {
  override name = 'CredentialUnavailable'
  readonly retryAfterMs: number | undefined
  constructor(message: string, { retryAfterMs, cause }: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}
