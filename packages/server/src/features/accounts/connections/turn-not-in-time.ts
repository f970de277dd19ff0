import { ProviderError } from '@mortise/providers'

/**
 * A request that was not made: the rate limit of its provider is used up, by us. To whoever wanted it it is like a
 * provider's own refusal, but it says nothing of the connection: others have their turns.
 */
export class TurnNotInTime extends ProviderError {
  constructor(retryAfterMs: number) {
    super('rate_limited', 'The rate limit of the provider is used up by other requests.', { retryAfterMs })
  }
}
