import { OutboundError, shownHost } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import { signatureFields } from '../envelope.ts'
import type { OutgoingMessage, Sender, SenderServices, SendResult } from '../kind.ts'
import { createTimeOf } from '../message-time.ts'
import { cutToBytes, filledOrWords } from '../message-words.ts'
import { openTemplate } from '../template.ts'
import {
  type Confirmation,
  connectRabbitmq,
  isOfServer,
  type Publication,
  type RabbitmqConnection,
} from './rabbitmq-connection.ts'
import { refusalOf, sizeMaxOf } from './refusal.ts'
import { type RabbitmqSettings, targetOf } from './settings.ts'

/** AMQP 0-9-1, section 4.2.5.3: a short string. */
const routingKeyBytesMax = 255

/** Publishes messages together on one channel, which stays open until an error or `close`. */
export function openRabbitmq(settings: RabbitmqSettings, services: SenderServices): Sender {
  const { host, port } = targetOf(settings)
  const shown = shownHost(host, port)
  const template = openTemplate(settings.routingKeyTemplate)
  let connection: RabbitmqConnection | undefined

  const publicationOf = (message: OutgoingMessage, time: Date): Publication => {
    const { id, kind, eventType, body } = message
    const headers = { kind, ...(eventType !== undefined && { eventType }), project: services.project }
    return {
      exchange: settings.exchange,
      routingKey: cutToBytes(filledOrWords(template, message), routingKeyBytesMax),
      body,
      options: {
        ...{ messageId: id, mandatory: true, persistent: true, contentType: 'application/json', appId: 'mortise' },
        type: eventType ?? kind,
        timestamp: Math.floor(createTimeOf(message).getTime() / 1_000),
        headers: { ...headers, ...signatureFields(services.keys, message, time) },
      },
    }
  }

  return {
    async send(batch, options) {
      const deadline = startDeadline(shown, options)
      try {
        if (connection === undefined || connection.ended())
          connection = await connectRabbitmq(settings, services, {
            timeoutMs: options.timeoutMs,
            signal: deadline.signal,
          })
        deadline.ends(connection)
        const publications = batch.map((message) => publicationOf(message, options.time))
        const confirmations = await connection.publish(publications)
        return resultsOf(publications, confirmations, { shown, connection })
      } catch (error) {
        const passed = deadline.passed()
        if (passed) throw passed
        if (!(error instanceof Error) || !isOfServer(error)) throw error
        const result = refusalOf(error, shown)
        return batch.map(() => result)
      } finally {
        deadline.clear()
      }
    },
    async close() {
      connection?.end(new OutboundError('aborted', `The connection to ${shown} was closed.`))
    },
  }
}

function resultsOf(
  publications: readonly Publication[],
  confirmations: readonly Confirmation[],
  { shown, connection }: { shown: string; connection: RabbitmqConnection },
): SendResult[] {
  const refusal = connection.refusal()
  const sizeMax = refusal && sizeMaxOf(refusal)
  return publications.map(({ routingKey, body }, index): SendResult => {
    const confirmation = confirmations[index]
    if (confirmation === 'taken') return { outcome: 'delivered' }
    if (confirmation === 'rejected') return { outcome: 'retry', error: `${shown} did not take the message.` }
    if (confirmation === 'returned') {
      const error = `The exchange has no queue for the routing key ${routingKey}. Bind a queue to the exchange.`
      return { outcome: 'retry', error }
    }
    if (sizeMax !== undefined && body.length > sizeMax) {
      const error = `${shown} does not accept messages of more than ${sizeMax} bytes.`
      return { ...refusalOf(refusal, shown), outcome: 'refused', error }
    }
    if (refusal) return refusalOf(refusal, shown)
    const ended = connection.ended()
    const error = ended?.message ?? `${shown} closed the connection.`
    return { outcome: ended?.kind === 'aborted' ? 'cancelled' : 'retry', error }
  })
}
