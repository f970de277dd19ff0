import type { KeyObject } from 'node:crypto'
import type { OutgoingMessage } from './kind.ts'
import { type Signature, signatureOf } from './signing.ts'

/** The headers of Standard Webhooks, for kinds that send headers or fields with a message. */
export function signatureFields(
  keys: readonly KeyObject[],
  { id, body }: Pick<OutgoingMessage, 'id' | 'body'>,
  time: Date,
): Record<string, string> {
  return fieldsOf(id, signatureOf(keys, id, time, body))
}

/** The same headers of a signature that was made before. */
export function fieldsOf(id: string, { timestamp, signature }: Signature): Record<string, string> {
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}

/** The headers of an envelope: the signature, and the type of a notification, whose body has only its data. */
function envelopeFields(
  keys: readonly KeyObject[],
  message: Pick<OutgoingMessage, 'id' | 'eventType' | 'body'>,
  time: Date,
): Record<string, string> {
  const { eventType } = message
  return {
    ...signatureFields(keys, message, time),
    ...(eventType !== undefined && { notificationType: eventType }),
  }
}

/** A message as a stream or a queue gets it. */
export interface Envelope {
  /** `{"data": …, "headers": …}`: `data` has the exact bytes that are signed. */
  content: Buffer
  /** The same headers. */
  fields: Record<string, string>
}

/** Wraps a message for a stream or a queue, and signs it. */
export function enveloped(
  keys: readonly KeyObject[],
  message: Pick<OutgoingMessage, 'id' | 'eventType' | 'body'>,
  time: Date,
): Envelope {
  const fields = envelopeFields(keys, message, time)
  const end = Buffer.from(`,"headers":${JSON.stringify(fields)}}`)
  return { content: Buffer.concat([Buffer.from('{"data":'), message.body, end]), fields }
}
