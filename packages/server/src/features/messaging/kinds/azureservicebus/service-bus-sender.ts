import type { ServiceBusMessage } from '@azure/service-bus'
import { OutboundError } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import { enveloped } from '../envelope.ts'
import { inGroups, type Sized, sendTogether, type Together } from '../in-parts.ts'
import { installationOf } from '../installation-of.ts'
import type { Sender, SenderServices, SendResult } from '../kind.ts'
import { meaningOf, NoWebSocket, ServiceBusRefusal } from './refusal.ts'
import { connectServiceBus, type ServiceBusConnection } from './service-bus-connection.ts'
import { type ServiceBusSettings, webSocketUrl } from './settings.ts'

const countMax = 100
/** Of a message besides its body: names, ids, signatures. */
const entryBytes = 1_024

interface Entry extends Sized {
  session: string
  sent: ServiceBusMessage
}

/** Sends messages in batches, those of an installation with its id as their session. */
export function openServiceBus(settings: ServiceBusSettings, services: SenderServices): Sender {
  const shown = webSocketUrl(settings).host
  // One for each `send` at the same time. They stay open until an error or `close`.
  const idle: ServiceBusConnection[] = []

  return {
    async send(batch, options) {
      const entries = batch.map((message): Entry => {
        // Queues without sessions ignore it; those with sessions refuse a message that has none.
        const session = installationOf(message) ?? services.destination
        const { content, fields } = enveloped(services.keys, message, options.time)
        const sent = {
          ...{ body: content, messageId: message.id, sessionId: session, contentType: 'application/json' },
          applicationProperties: fields,
        }
        return { message, session, sent, bytes: content.length + entryBytes }
      })
      const deadline = startDeadline(shown, options)
      let connection: ServiceBusConnection | undefined
      const connected = async () => {
        if (!connection || connection.ended()) {
          connection = takeOpen(idle)
          connection ??= await connectServiceBus(settings, services, { ...options, signal: deadline.signal })
          deadline.ends(connection)
        }
        return connection
      }
      try {
        return await sendEntries(entries, connected, shown)
      } catch (error) {
        throw deadline.passed() ?? error
      } finally {
        deadline.clear()
        if (connection && !connection.ended()) idle.push(connection)
      }
    },
    async close() {
      for (const connection of idle.splice(0))
        connection.end(new OutboundError('aborted', `The connection to ${shown} was closed.`))
    },
  }
}

function takeOpen(idle: ServiceBusConnection[]): ServiceBusConnection | undefined {
  for (let one = idle.pop(); one; one = idle.pop()) if (!one.ended()) return one
  return undefined
}

async function sendEntries(
  entries: readonly Entry[],
  connected: () => Promise<ServiceBusConnection>,
  shown: string,
): Promise<SendResult[]> {
  // What is not of a message concerns the ones after it, too.
  let failure: Together | undefined
  const attempt = async (count: number, step: (connection: ServiceBusConnection) => Promise<void>) => {
    if (failure) return failure
    let isOpen = false
    try {
      const connection = await connected()
      isOpen = true
      await step(connection)
      return { result: { outcome: 'delivered' as const }, isOfData: false }
    } catch (error) {
      if (!(error instanceof ServiceBusRefusal || error instanceof NoWebSocket)) throw error
      const { result, isOfData } = meaningOf(error, shown, isOpen ? count : 0)
      if (isOpen && isOfData) return { result, isOfData }
      failure = { result, isOfData: false }
      return failure
    }
  }
  let bytesMax = 0
  const opened = await attempt(0, async (connection) => {
    bytesMax = connection.bytesMax
  })
  if (failure) return entries.map(() => opened.result)
  // The messages of a batch must have the same session if the queue is partitioned.
  return await inGroups(
    entries,
    ({ session }) => session,
    { bytesMax, countMax },
    (part) =>
      sendTogether(part, (some) => attempt(some.length, (connection) => connection.send(some.map(({ sent }) => sent)))),
  )
}
