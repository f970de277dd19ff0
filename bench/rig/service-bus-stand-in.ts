import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { WebSocketServer } from 'ws'
import { type AmqpSender, loadAmqp } from './cloud-clients.ts'
import { servePart } from './part.ts'

/**
 * Answers as Service Bus does over AMQP when it accepts everything, also over a WebSocket. It counts messages, keeps
 * nothing and checks no credentials.
 */

let arrived = 0
const amqp = loadAmqp()
const container = amqp.create_container()
container.sasl_server_mechanisms.enable_anonymous()
container.sasl_server_mechanisms.enable_plain(() => true)

/** Where a client waits for the answers about its tokens, by the name of the link. */
const replies = new Map<string, AmqpSender>()
container.on('sender_open', ({ sender }) => replies.set(sender.name, sender))
// Otherwise it writes to the console.
container.on('disconnected', () => undefined)
container.on('message', ({ message, receiver }) => {
  if (Buffer.isBuffer(message)) {
    // A batch has a section for each message.
    const { multiple, content } = amqp.message.decode(message).body
    arrived += multiple && Array.isArray(content) ? content.length : 1
  } else if (receiver.target.address !== '$cbs') arrived++
  else
    replies.get(message.reply_to ?? '')?.send({
      correlation_id: message.message_id,
      application_properties: { 'status-code': 202, 'status-description': 'Accepted' },
      body: '',
    })
})
// The maximum size of a message in the Standard tier, and the credit that the service gives.
const options = { receiver_options: { max_message_size: 262_144, credit_window: 1_000 } }
const server = container.listen({ host: '127.0.0.1', port: 0, ...options })
const webSockets = createServer().listen(0, '127.0.0.1')
const upgrader = new WebSocketServer({ noServer: true })
webSockets.on('upgrade', (request, socket, head) =>
  upgrader.handleUpgrade(request, socket, head, (webSocket) => container.websocket_accept(webSocket, options)),
)
await Promise.all([server, webSockets].map((one) => one.listening || once(one, 'listening')))

const portOf = (one: Server) => (one.address() as AddressInfo).port
servePart({
  ports: (): ServiceBusPorts => ({ amqp: portOf(server), webSocket: portOf(webSockets) }),
  arrived: () => arrived,
  clear: () => {
    arrived = 0
  },
})

export interface ServiceBusPorts {
  amqp: number
  webSocket: number
}
