import type { KeyObject } from 'node:crypto'
import type { OutgoingMessage } from './kind.ts'
import { signatureOf } from './signing.ts'

/** The headers of Standard Webhooks, for kinds that send headers or fields with a message. */
export function signatureFields(
  keys: readonly KeyObject[],
  { id, body }: Pick<OutgoingMessage, 'id' | 'body'>,
  time: Date,
): Record<string, string> {
  const { timestamp, signature } = signatureOf(keys, id, time, body)
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

/**
 * Wraps a message for a stream or a queue: `{"data": …, "headers": …}`. `data` has the exact bytes that are signed.
 */
export function enveloped(
  keys: readonly KeyObject[],
  message: Pick<OutgoingMessage, 'id' | 'body'>,
  time: Date,
): Buffer {
  const headers = JSON.stringify(signatureFields(keys, message, time))
  return Buffer.concat([Buffer.from('{"data":'), message.body, Buffer.from(`,"headers":${headers}}`)])
}
