import { enveloped } from '../envelope.ts'
import { createGoogleCalls, googleError } from '../google.ts'
import { type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import { inGroups, type Sized, sendTogether, type Together } from '../in-parts.ts'
import { installationOf } from '../installation-of.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { type PubSubSettings, publishUrl } from './settings.ts'

const scope = 'https://www.googleapis.com/auth/pubsub'
/** Maximum size and number of a request (Pub/Sub, "Quotas and limits"), with room for what surrounds messages. */
const limits = { bytesMax: 9 * 2 ** 20, countMax: 1_000 }
const entryBytes = 1_024

interface Entry extends Sized {
  orderingKey: string | undefined
  /** The message as JSON. */
  published: string
}

/** Publishes messages, those of an installation with its id as their ordering key. */
export function openPubSub(settings: PubSubSettings, services: SenderServices): Sender {
  const url = publishUrl(settings)
  return {
    async send(batch, options) {
      const { time } = options
      const call = createGoogleCalls(settings, { scope, services, options })
      const entries = batch.map((message): Entry => {
        const { content, fields } = enveloped(services.keys, message, time)
        const data = content.toString('base64')
        const orderingKey = installationOf(message)
        const rest = JSON.stringify({ attributes: fields, ...(orderingKey !== undefined && { orderingKey }) })
        // Base64 has nothing to escape, and looking for it takes as long as all the rest.
        const published = `{"data":"${data}",${rest.slice(1)}`
        return { message, orderingKey, published, bytes: data.length + entryBytes }
      })
      // The messages of a request must have the same ordering key.
      return inGroups(
        entries,
        ({ orderingKey }) => orderingKey,
        limits,
        (part) =>
          sendTogether(part, async (some) => {
            const body = Buffer.from(`{"messages":[${some.map(({ published }) => published).join()}]}`)
            const answer = await call({ url, headers: { 'content-type': 'application/json' }, body })
            return 'outcome' in answer ? { result: answer, isOfData: false } : meaningOf(url, answer, some.length, time)
          }),
      )
    },
    close: async () => undefined,
  }
}

/** What an answer means. Pub/Sub publishes all messages of a request, and returns an id for each, or none. */
function meaningOf(url: URL, answer: HttpAnswer, count: number, time: Date): Together {
  const { status, body } = answer
  if (status !== 200) return { result: googleError(url, answer, time), isOfData: status === 400 }
  const ids = jsonOf(answer)?.['messageIds']
  if (Array.isArray(ids) && ids.length === count && ids.every((id) => typeof id === 'string' && id !== ''))
    return { result: { outcome: 'delivered', status, response: body }, isOfData: false }
  return { result: notDelivered(url, answer, time, `${url.host} did not confirm the message.`), isOfData: false }
}
