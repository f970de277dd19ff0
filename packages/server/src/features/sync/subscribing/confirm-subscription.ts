import { confirmationUrl, type Webhooks } from '@mortise/providers'
import type { Outbound } from '../../../kernel/net/index.ts'
import { EventMalformed, SubscriptionUnconfirmed } from './problems.ts'

const timeoutMs = 5_000
const bytesMax = 64 * 1_024

/**
 * Requests the URL that confirms a subscription, where a verified payload asks for it: by https on a host of the
 * provider's file, without redirects and without a credential. A repeated request confirms it again, which changes
 * nothing.
 *
 * @returns whether the payload asks for it
 * @throws EventMalformed if the URL is not allowed, SubscriptionUnconfirmed if the provider does not respond with 200
 */
export async function confirmSubscription(
  { outbound }: { outbound: Pick<Outbound, 'request'> },
  webhooks: Webhooks,
  payload: unknown,
): Promise<boolean> {
  const url = confirmationUrl(webhooks, payload)
  if (url === undefined) return false
  if (url === 'refused')
    throw new EventMalformed({ detail: 'The URL that confirms the subscription is not on a host of the provider.' })
  const answer = await outbound
    .request({ method: 'GET', url: url.href, timeoutMs, maxBytes: bytesMax, tooLarge: 'truncate' })
    .catch((cause: unknown) => {
      throw new SubscriptionUnconfirmed({ cause })
    })
  if (answer.status !== 200) throw new SubscriptionUnconfirmed()
  return true
}
