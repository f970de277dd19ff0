import { createHmac } from 'node:crypto'
import { enveloped } from '../envelope.ts'
import { createCalls, type HttpAnswer, notDelivered } from '../http-calls.ts'
import { inGroups, type Sized, sendTogether, type Together } from '../in-parts.ts'
import { installationOf } from '../installation-of.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { connectionOf, messagesUrl, type ServiceBusSettings } from './settings.ts'

/** A batch of the Standard tier has at most 256 KB. A larger message is sent alone: the Premium tier takes it. */
const limits = { bytesMax: 200_000, countMax: 100 }
const entryBytes = 1_024
const tokenSecs = 900

interface Entry extends Sized {
  session: string
  text: string
}

/** Sends messages in batches, those of an installation with its id as their session. */
export function openServiceBus(settings: ServiceBusSettings, services: SenderServices): Sender {
  const url = messagesUrl(settings)
  return {
    async send(batch, options) {
      const { time } = options
      const call = createCalls(services, options)
      const headers = {
        authorization: sharedAccessToken(settings, time),
        'content-type': 'application/vnd.microsoft.servicebus.json',
      }
      const entries = batch.map((message): Entry => {
        // Queues without sessions ignore it; those with sessions refuse a message that has none.
        const session = installationOf(message) ?? services.destination
        const { content, fields } = enveloped(services.keys, message, time)
        const text = JSON.stringify({
          Body: content.toString(),
          BrokerProperties: { MessageId: message.id, SessionId: session, ContentType: 'application/json' },
          UserProperties: fields,
        })
        return { message, session, text, bytes: Buffer.byteLength(text) + entryBytes }
      })
      // The messages of a batch must have the same session if the queue is partitioned.
      return inGroups(
        entries,
        ({ session }) => session,
        limits,
        (part) =>
          sendTogether(part, async (some) => {
            const answer = await call({ url, headers, body: `[${some.map(({ text }) => text).join()}]` })
            return meaningOf(url, answer, time)
          }),
      )
    },
    close: async () => undefined,
  }
}

/** A token for the queue or topic (Azure, "Generate a Shared Access Signature token"). */
function sharedAccessToken(settings: ServiceBusSettings, time: Date): string {
  const { host, key, keyName } = connectionOf(settings)
  const resource = encodeURIComponent(`https://${host}/${settings.name}`.toLowerCase())
  const expiry = Math.floor(time.getTime() / 1_000) + tokenSecs
  const signature = createHmac('sha256', key).update(`${resource}\n${expiry}`).digest('base64')
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${keyName}`
}

/** What an answer means. Only 201 says that the batch was accepted, as a whole. */
function meaningOf(url: URL, answer: HttpAnswer, time: Date): Together {
  const { status, body } = answer
  if (status === 201) return { result: { outcome: 'delivered', status, response: body }, isOfData: false }
  const reason = status === 200 ? `${url.host} did not confirm the message.` : undefined
  // A batch that is too large for the tier is accepted in parts.
  return { result: notDelivered(url, answer, time, reason), isOfData: status === 400 || status === 413 }
}
