/**
 * No usable credential can be obtained: the provider refused to renew it, or there is nothing to renew it with. The
 * connection is `bad_credentials`.
 */
export class CredentialRefused extends Error {
  override name = 'CredentialRefused'
}

/** The credential has to be renewed, and the provider cannot be asked now. The connection does not change. */
export class CredentialUnavailable extends Error {
  override name = 'CredentialUnavailable'
  readonly retryAfterMs: number | undefined
  constructor(message: string, { retryAfterMs, cause }: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}
