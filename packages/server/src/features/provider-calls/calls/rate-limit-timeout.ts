import { ProviderError } from '@mortise/providers'

/**
 * A request that was not sent: other requests of ours use up the rate limit of its provider. To its sender it is like a
 * refusal of the provider, but it says nothing about the connection.
 */
export class RateLimitTimeout extends ProviderError {
  constructor(retryAfterMs: number) {
    super('rate_limited', 'The rate limit of the provider is used up by other requests.', { retryAfterMs })
  }
}
