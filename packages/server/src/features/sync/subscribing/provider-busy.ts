/** A provider cannot return a record now; a later request may succeed. */
export class ProviderBusy extends Error {
  override name = 'ProviderBusy'
  readonly retryAfterMs: number
  constructor(cause: unknown, retryAfterMs = 0) {
    super('The provider is not available now.', { cause })
    this.retryAfterMs = retryAfterMs
  }
}
