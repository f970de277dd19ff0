/** A provider cannot be asked for a record just now; asking later may help. */
export class ProviderBusy extends Error {
  override name = 'ProviderBusy'
  readonly retryAfterMs: number
  constructor(cause: unknown, retryAfterMs = 0) {
    super('The provider is not available now.', { cause })
    this.retryAfterMs = retryAfterMs
  }
}
