import { OutboundError, shownHost } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import { signatureFields } from '../envelope.ts'
import type { OutgoingMessage, Sender, SenderServices, SendResult } from '../kind.ts'
import { cutToBytes, filledOrWords } from '../message-words.ts'
import { openTemplate, type Template } from '../template.ts'
import { connectNats, type NatsConnection, NatsRefusal, type Publication } from './nats-connection.ts'
import { loginRefusal, resultOf } from './reply-result.ts'
import { type NatsSettings, targetOf } from './settings.ts'

/** Bytes of the part of a subject that values of a message make. */
const subjectBytesMax = 500

/** Publishes messages together on one connection, which stays open until an error or `close`. */
export function openNats(settings: NatsSettings, services: SenderServices): Sender {
  const { host, port } = targetOf(settings)
  const shown = shownHost(host, port)
  const template = openTemplate(settings.subjectTemplate)
  let connection: NatsConnection | undefined

  const publicationOf = (message: OutgoingMessage, time: Date): Publication => {
    const { id, kind, eventType, body } = message
    const fields = {
      // The stream drops a message with an id that it has received within its duplicate window.
      ...{ 'Nats-Msg-Id': id, kind, ...(eventType !== undefined && { eventType }), project: services.project },
      ...signatureFields(services.keys, message, time),
    }
    return { subject: subjectOf(settings.subject, template, message), headers: headersOf(fields), body }
  }

  return {
    async send(batch, options) {
      const deadline = startDeadline(shown, options)
      try {
        if (connection === undefined || connection.ended())
          connection = await connectNats(settings, services, { timeoutMs: options.timeoutMs, signal: deadline.signal })
        deadline.ends(connection)
        return await publishAll(
          connection,
          batch.map((message) => publicationOf(message, options.time)),
          shown,
        )
      } catch (error) {
        const passed = deadline.passed()
        if (passed) throw passed
        if (!(error instanceof NatsRefusal)) throw error
        const result = loginRefusal(error.message, shown)
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

/** Publishes what is not too large: the server would close the connection for it. */
async function publishAll(
  connection: NatsConnection,
  publications: readonly Publication[],
  shown: string,
): Promise<SendResult[]> {
  const { payloadBytesMax } = connection.greeting
  const isTooLarge = ({ headers, body }: Publication) => headers.length + body.length > payloadBytesMax
  const fitting = publications.filter((one) => !isTooLarge(one))
  const replies = await connection.publish(fitting)
  const results = new Map(
    fitting.map((one, index) => [one, resultOf(replies[index], one, { shown, connection })] as const),
  )
  const error = `${shown} does not accept messages of more than ${payloadBytesMax} bytes.`
  return publications.map((one) => results.get(one) ?? { outcome: 'refused', error })
}

/**
 * Makes the subject: what a message makes comes after the words of the settings, and contains nothing that NATS matches
 * with. So a customer cannot name a subject of something else.
 */
export function subjectOf(prefix: string, template: Template | undefined, message: OutgoingMessage): string {
  const words = filledOrWords(template, message)
    .toWellFormed()
    .replace(/[\s*>\p{Cc}]/gu, '_')
    .split('.')
    .filter((word) => word !== '')
  const rest = cutToBytes(words.join('.'), subjectBytesMax).replace(/\.$/, '')
  return rest === '' ? prefix : `${prefix}.${rest}`
}

/** Values are ids, names of events and signatures: none has a line break. */
function headersOf(fields: Record<string, string>): Buffer {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`NATS/1.0\r\n${lines.join('')}\r\n`)
}
