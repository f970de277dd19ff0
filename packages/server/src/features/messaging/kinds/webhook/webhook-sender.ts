import type { KeyObject } from 'node:crypto'
import { withoutSecrets } from '@mortise/providers'
import { createOutbound, type Outbound, OutboundError } from '../../../../kernel/net/index.ts'
import type { OutgoingMessage, Sender, SenderServices, SendResult } from '../kind.ts'
import { signatureHeaders } from '../signing.ts'
import { templatedBody } from './body-template.ts'
import { accessToken } from './client-credentials.ts'
import { urlsOfMessages } from './message-url.ts'
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

/**
 * Posts messages. Only a 2xx answer delivers one; redirects are not followed. Connections belong to `outbound`, or to
 * the sender where the destination has certificates.
 */
export function openWebhook(settings: WebhookSettings, services: SenderServices): Sender {
  const { keys, project } = services
  const url = new URL(settings.url)
  const urlOf = urlsOfMessages(settings.url, services)
  const own = outboundWithCertificates(settings, services)
  const outbound = own ?? services.outbound
  return {
    async send([message], options) {
      if (!message) return []
      const { time, signal } = options
      const target = await urlOf(message)
      if (target === undefined) return [unusableGroup]
      const body = templatedBody(settings, message.body)
      if (body === undefined)
        return [{ outcome: 'refused', error: 'The body that bodyTemplate makes is larger than 1 MiB.' }]
      const until = performance.now() + options.timeoutMs
      const post = async (renew: boolean): Promise<SendResult> => {
        const token = await accessToken(settings, services, { ...options, timeoutMs: leftOf(until, url) }, renew)
        if (typeof token === 'object') return token
        const answer = await outbound.request({
          method: 'POST',
          url: target,
          headers: {
            ...webhookHeaders(settings, keys, { id: message.id, body }, time),
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          body,
          timeoutMs: leftOf(until, url),
          maxBytes: answerBytesMax,
          tooLarge: 'truncate',
          // The status is the receipt: an answer that breaks off after it is one all the same.
          bodyWanted: false,
          signal,
          project,
        })
        // A token may end early. It is renewed once.
        if (answer.status === 401 && token !== undefined && !renew) return post(true)
        return withoutToken(resultOf(url, answer.status, answer.headers['retry-after'], answer.body, time), token)
      }
      return [await post(false)]
    },
    close: async () => own?.close(),
  }
}

const unusableGroup: SendResult = {
  outcome: 'refused',
  error: 'The groupRef of the message has only dots, which a URL would read as another path.',
}

function leftOf(until: number, { host }: URL): number {
  const leftMs = until - performance.now()
  if (leftMs <= 0) throw new OutboundError('timeout', `${host} did not answer in time.`)
  return Math.ceil(leftMs)
}

/** A receiver may echo the token, which the settings do not contain. */
function withoutToken(result: SendResult, token: string | undefined): SendResult {
  const { response } = result
  if (token === undefined || response === undefined) return result
  return { ...result, response: Buffer.from(withoutSecrets(response.toString(), [token])) }
}

/** A client with the certificates of the settings, which no other destination may use. */
function outboundWithCertificates(
  { clientCertificate, clientKey, caCertificate }: WebhookSettings,
  { guard, names }: SenderServices,
): Outbound | undefined {
  const client =
    clientCertificate !== undefined && clientKey !== undefined ? { cert: clientCertificate, key: clientKey } : undefined
  if (client === undefined && caCertificate === undefined) return undefined
  return createOutbound({
    guard,
    names,
    userAgent: 'Mortise',
    ...(client && { client }),
    ...(caCertificate !== undefined && { ca: caCertificate }),
  })
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
