import { enveloped } from '../envelope.ts'
import { createGoogleCalls, googleError } from '../google.ts'
import { type HttpAnswer, jsonOf, notDelivered } from '../http-calls.ts'
import { inGroups, type Sized, sendTogether, type Together } from '../in-parts.ts'
import { installationOf } from '../installation-of.ts'
import type { Sender, SenderServices } from '../kind.ts'
import { createPublisher, type Publisher, type PubSubMessage } from './publisher.ts'
import { endpointOf, type PubSubSettings, topicOf } from './settings.ts'

const scope = 'https://www.googleapis.com/auth/pubsub'
/** Maximum size and number of a request (Pub/Sub, "Quotas and limits"), with room for what surrounds messages. */
const limits = { bytesMax: 9 * 2 ** 20, countMax: 1_000 }
const entryBytes = 1_024

interface Entry extends Sized {
  orderingKey: string | undefined
  published: PubSubMessage
}

/** Publishes messages, those of an installation with its id as their ordering key. */
export function openPubSub(settings: PubSubSettings, services: SenderServices): Sender {
  const url = endpointOf(settings)
  let publisher: Promise<Publisher> | undefined
  return {
    async send(batch, options) {
      const { time } = options
      const call = createGoogleCalls(settings, { scope, services, options })
      publisher ??= createPublisher(url, topicOf(settings))
      const { publish } = await publisher
      const entries = batch.map((message): Entry => {
        const { content: data, fields: attributes } = enveloped(services.keys, message, time)
        const orderingKey = installationOf(message)
        const published = { data, attributes, ...(orderingKey !== undefined && { orderingKey }) }
        // The client sends Base64.
        return { message, orderingKey, published, bytes: Math.ceil(data.length / 3) * 4 + entryBytes }
      })
      // The messages of a request must have the same ordering key.
      return inGroups(
        entries,
        ({ orderingKey }) => orderingKey,
        limits,
        (part) =>
          sendTogether(part, async (some) => {
            const messages = some.map(({ published }) => published)
            const answer = await publish(messages, call)
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
  // The client would take any value for an id.
  const { messageIds: ids, error } = jsonOf(answer) ?? {}
  const isConfirmed =
    Array.isArray(ids) && ids.length === count && ids.every((id) => typeof id === 'string' && id !== '')
  if (isConfirmed && error === undefined)
    return { result: { outcome: 'delivered', status, response: body }, isOfData: false }
  return { result: notDelivered(url, answer, time, `${url.host} did not confirm the message.`), isOfData: false }
}
