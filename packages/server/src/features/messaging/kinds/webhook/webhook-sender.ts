import type { KeyObject } from 'node:crypto'
import type { OutgoingMessage, Sender, SenderServices, SendResult } from '../kind.ts'
import { signatureHeaders } from '../signing.ts'
import { readRetryAfterMs } from './retry-after.ts'
import type { WebhookSettings } from './settings.ts'

/** How much of an answer is read. */
const answerBytesMax = 64 * 1024

/** The headers of an attempt that is made now: those of the destination, and those that sign the body. */
export function webhookHeaders(
  { headers }: WebhookSettings,
  keys: readonly KeyObject[],
  { id, body }: Pick<OutgoingMessage, 'id' | 'body'>,
  time: Date,
): Record<string, string> {
  return { ...headers, 'content-type': 'application/json', ...signatureHeaders(keys, id, time, body) }
}

/** Posts messages. Only a 2xx answer delivers one; redirects are not followed. Connections belong to `outbound`. */
export function openWebhook(settings: WebhookSettings, { outbound, keys, project }: SenderServices): Sender {
  const url = new URL(settings.url)
  return {
    async send([message], { time, timeoutMs, signal }) {
      if (!message) return []
      const { status, headers, body } = await outbound.request({
        method: 'POST',
        url,
        headers: webhookHeaders(settings, keys, message, time),
        body: message.body,
        timeoutMs,
        maxBytes: answerBytesMax,
        tooLarge: 'truncate',
        // The status is the receipt: an answer that breaks off after it is one all the same.
        bodyWanted: false,
        signal,
        project,
      })
      return [resultOf(url, status, headers['retry-after'], body, time)]
    },
    close: async () => undefined,
  }
}

function resultOf(
  { host }: URL,
  status: number,
  retryAfter: string | undefined,
  response: Buffer,
  time: Date,
): SendResult {
  if (status >= 200 && status < 300) return { outcome: 'delivered', status, response }
  const retryAfterMs = readRetryAfterMs(retryAfter, time)
  return {
    outcome: status === 410 ? 'gone' : 'retry',
    status,
    error: `${host} answered ${status}.`,
    response,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}
