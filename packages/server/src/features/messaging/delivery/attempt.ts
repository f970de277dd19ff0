import { withoutSecrets } from '@mortise/providers'
import { OutboundError } from '../../../kernel/net/index.ts'
import type { Services } from '../../../services.ts'
import type { DeliveryTarget } from '../destinations/index.ts'
import { secretsInUrl } from '../destinations/index.ts'
import { type KeptMessage, outgoingBody, outgoingHeaders } from '../messages/index.ts'
import { answerBytesKept, answerBytesMax, attemptMs } from './delivery-rules.ts'
import { readRetryAfterMs } from './retry-schedule.ts'

/** How an attempt ended. */
export interface Attempt {
  /** `cancelled` and `unsent` say nothing about the destination: they are no attempts, and change no state of it. */
  outcome: 'delivered' | 'refused' | 'gone' | 'cancelled' | 'unsent'
  status?: number
  /** One sentence for people. */
  error?: string
  /** The beginning of the answer, as text. */
  response?: string
  durationMs: number
  retryAfterMs?: number
}

/** Shorter values are no credentials, and stand in any text. */
const credentialFrom = 8

/** Sends a message once. Only a 2xx answer delivers it; redirects are not followed. Never throws. */
export async function attemptDelivery(
  { outbound, keyring, publicUrl, now }: Pick<Services, 'outbound' | 'keyring' | 'publicUrl' | 'now'>,
  target: Pick<DeliveryTarget, 'url' | 'headers' | 'keys'>,
  projectId: string,
  message: KeptMessage,
  signal: AbortSignal,
): Promise<Attempt> {
  const began = performance.now()
  const time = now()
  const body = outgoingBody({ keyring, publicUrl }, projectId, message, time)
  try {
    const answer = await outbound.request({
      method: 'POST',
      url: target.url,
      headers: outgoingHeaders(target, message.id, time, body),
      body,
      timeoutMs: attemptMs,
      maxBytes: answerBytesMax,
      tooLarge: 'truncate',
      // The status is the receipt: an answer that breaks off after it is one all the same.
      bodyWanted: false,
      signal,
      project: projectId,
    })
    const { status } = answer
    const response = shownText(answer.body, target)
    const ended = { status, ...(response !== '' && { response }), durationMs: elapsed(began) }
    if (status >= 200 && status < 300) return { outcome: 'delivered', ...ended }
    const retryAfterMs = readRetryAfterMs(answer.headers['retry-after'], time)
    return {
      outcome: status === 410 ? 'gone' : 'refused',
      error: `${target.url.host} answered ${status}.`,
      ...ended,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }
  } catch (error) {
    if (error instanceof OutboundError) {
      const outcome = error.kind === 'aborted' ? 'cancelled' : error.kind === 'busy' ? 'unsent' : 'refused'
      return { outcome, error: error.message, durationMs: elapsed(began) }
    }
    throw error
  }
}

function elapsed(began: number): number {
  return Math.round(performance.now() - began)
}

/**
 * What is kept of an answer. Receivers echo what they were sent: the headers of the destination and the secret parts of
 * its URL are removed before it is cut. The database takes no NUL in text.
 */
function shownText(body: Buffer, { headers, url }: Pick<DeliveryTarget, 'headers' | 'url'>): string {
  if (body.length === 0) return ''
  const secrets = [...Object.values(headers), ...secretsInUrl(url.href)].filter(
    (value) => value.length >= credentialFrom,
  )
  const safe = secrets.length === 0 ? body : Buffer.from(withoutSecrets(body.toString('utf8'), secrets))
  return safe.subarray(0, answerBytesKept).toString('utf8').replaceAll('\u0000', '\ufffd')
}
