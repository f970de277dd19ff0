import { Webhook, WebhookVerificationError } from 'standardwebhooks'

export { WebhookVerificationError }

/** What a destination receives: a data message, or a notification. */
export type WebhookMessage =
  | { action: 'read' | 'subscribe' | 'schema.watch'; [field: string]: unknown }
  | { notificationType: string; data: Record<string, unknown> }

/**
 * Verifies that a request was sent by the service to this destination (Standard Webhooks): its signature, and that it
 * was signed within the last five minutes.
 *
 * @param body the body exactly as it arrived: parsing and serializing it again changes its bytes
 * @param headers of the request; either set of names, `webhook-…` or `svix-…`
 * @param secrets the destination's signing secret, `whsec_…`; several while one is being replaced
 * @returns the message
 * @throws WebhookVerificationError
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secrets: string | string[],
): WebhookMessage {
  const get = (name: string): string => {
    const found = headers instanceof Headers ? headers.get(name) : headers[name]
    return (Array.isArray(found) ? found[0] : found) ?? ''
  }
  const prefix = get('webhook-id') === '' ? 'svix' : 'webhook'
  const signed = {
    'webhook-id': get(`${prefix}-id`),
    'webhook-timestamp': get(`${prefix}-timestamp`),
    'webhook-signature': get(`${prefix}-signature`),
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const candidates = [secrets].flat()
  for (const [index, secret] of candidates.entries()) {
    try {
      return new Webhook(secret).verify(text, signed) as WebhookMessage
    } catch (error) {
      if (index === candidates.length - 1) throw error
    }
  }
  throw new WebhookVerificationError('No secret was given.')
}
