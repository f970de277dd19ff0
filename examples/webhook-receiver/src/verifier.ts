import type { IncomingHttpHeaders } from 'node:http'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

/** The destination's signing secret (`whsec_…`), or where to find it at each request. */
export type Secret = string | (() => string)

/** Tells whether the sender of a body knows the secret (Standard Webhooks 1.0: HMAC-SHA256, at most 5 minutes old). */
export type Verify = (body: Buffer, headers: IncomingHttpHeaders) => boolean

/** @throws Error when the secret is no base64 text, with or without `whsec_` */
export function createVerifier(secret: Secret): Verify {
  const read = typeof secret === 'string' ? () => secret : secret
  let text: string | undefined
  let webhook: Webhook | undefined

  function current(): Webhook {
    const latest = read()
    if (!webhook || latest !== text) {
      webhook = new Webhook(latest)
      text = latest
    }
    return webhook
  }

  if (typeof secret === 'string') current()
  return (body, headers) => {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    const signed = Object.fromEntries(names.map((name) => [name, String(headers[name] ?? '')]))
    try {
      current().verify(body, signed, { jsonParse: false })
      return true
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false
      throw error
    }
  }
}
