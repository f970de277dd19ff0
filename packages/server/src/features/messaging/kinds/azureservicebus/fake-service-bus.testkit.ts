import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import rhea, { type EventContext, type Message, type Sender } from 'rhea'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ReceivedMessage } from '../conformance.testkit.ts'
import { isBad, unwrapped } from '../http-target.testkit.ts'
import { listenAsTarget } from '../tcp-target.testkit.ts'
import {
  type Batch,
  badAnswers,
  closings,
  greetings,
  opens,
  rejections,
  silences,
  tokenAnswers,
  upgrades,
} from './bad-answers.testkit.ts'

interface Policy {
  /** The queue or topic. */
  name: string
  /** `sb://` and the host of the connection string. */
  endpoint: string
  keyName: string
  key: string
}

/** A message as a receiver gets it. */
export interface ArrivedMessage {
  body: Buffer
  messageId: string
  sessionId: string
  contentType: string
  applicationProperties: Record<string, string>
}

/** Plays the part of Service Bus that a sender speaks to, strictly: what is not documented is rejected. */
export async function startFakeServiceBus(
  policy: Policy,
  { bytesMax = 262_144, tls }: { bytesMax?: number; tls?: { key: string; cert: string } } = {},
) {
  const received: ReceivedMessage[] = []
  const arrived: ArrivedMessage[] = []
  const webSockets = new Set<WebSocket>()
  let behavior = 'accept'
  let batches = 0
  let token = ''

  const container = openContainer(policy, {
    behavior: () => behavior,
    authorize: (sent) => {
      token = sent
    },
    take(batch, content) {
      batches++
      const [bad, rejection] = [badAnswers[behavior] ?? silences[behavior], rejections[behavior]]
      const { delivery, link } = batch
      if (bad) return bad(batch)
      if (rejection) return delivery.reject(rejection)
      if (behavior === 'echo')
        return delivery.reject({ condition: 'amqp:internal-error', description: `You sent ${policy.key}.` })
      const messages = messagesOf(content)
      const opened = messages.map(({ body }) => unwrapped(body.toString()))
      if (behavior === 'echoes the token')
        return delivery.reject({ condition: 'amqp:internal-error', description: `You sent ${token}.` })
      if (behavior === 'closes the link of a bad message' && opened.some(isBad))
        return link.close({ condition: 'amqp:link:message-size-exceeded', description: 'Too large.' })
      if (!isWhole(messages, opened) || opened.some(isBad))
        return delivery.reject({ condition: 'com.microsoft:argument-error', description: 'A message is bad.' })
      received.push(...opened)
      arrived.push(...messages)
      delivery.accept()
    },
  })

  const server = tls ? createTlsServer(tls) : createServer()
  const upgrader = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const planned = upgrades[behavior]
    if (planned) return planned(socket)
    const isKnown =
      request.url === '/$servicebus/websocket' && request.headers['sec-websocket-protocol'] === 'AMQPWSB10'
    if (!isKnown) return socket.end('HTTP/1.1 400 Bad\r\ncontent-length: 0\r\n\r\n')
    upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      webSockets.add(webSocket)
      const greet = greetings[behavior]
      if (greet) return greet(webSocket)
      const options = {
        webSocket,
        receiver_options: { max_message_size: bytesMax, autoaccept: false, credit_window: 0 },
      }
      container.websocket_accept(webSocket as never, options as never)
    })
  })
  return {
    ...(await listenAsTarget(server)),
    received: () => received,
    /** The same messages, as a receiver gets them. */
    arrived: () => arrived,
    batches: () => batches,
    hangUp() {
      for (const webSocket of webSockets) webSocket.terminate()
    },
    behave: (what: string) => {
      behavior = what
    },
  }
}

interface Doings {
  behavior(): string
  authorize(token: string): void
  take(batch: Batch, content: Message): void
}

/** Opens links to one queue or topic, for whoever has a token for it. */
function openContainer(policy: Policy, { behavior, authorize, take }: Doings) {
  const container = rhea.create_container({ autoaccept: false })
  container.sasl_server_mechanisms.enable_anonymous()
  const replies = new Map<string, Sender>()
  container.on('sender_open', ({ sender }: EventContext) => sender && replies.set(sender.name, sender))
  container.on('receiver_open', ({ receiver }: EventContext) => {
    const { address } = receiver?.target ?? {}
    const closing = closings[behavior()] ?? (address === policy.name ? undefined : closings['has no such queue'])
    if (address !== '$cbs' && closing) receiver?.close(closing)
    else if (address === '$cbs' || behavior() !== 'gives no credit') receiver?.add_credit(1_000)
  })
  container.on('message', ({ message, delivery, receiver, connection, session }: EventContext) => {
    if (!message || !delivery || !receiver || !session) return
    const { webSocket } = connection.options as { webSocket?: WebSocket }
    if (receiver.target.address !== '$cbs') {
      if (webSocket) take({ delivery, link: receiver, session, connection, webSocket }, message)
      return
    }
    delivery.accept()
    authorize(String(message.body))
    const reply = replies.get(message.reply_to ?? '')
    if (behavior() === 'answers the token with a message without sections')
      return reply?.send(Buffer.from('a10b736563726574732e2e2e2e', 'hex'), undefined, 0)
    reply?.send({
      correlation_id: String(message.message_id),
      application_properties: tokenAnswers[behavior()] ?? answerTo(message, policy),
      body: '',
    })
  })
  // Before it is sent.
  container.on('connection_open', ({ connection }: EventContext) =>
    Object.assign(connection.local.open, opens[behavior()]),
  )
  const expected = ['connection_error', 'session_error', 'receiver_error', 'disconnected', 'protocol_error', 'error']
  for (const event of expected) container.on(event, () => undefined)
  return container
}

/** Whether messages have all that is documented, and one session. */
function isWhole(messages: readonly ArrivedMessage[], opened: readonly ReceivedMessage[]): boolean {
  return messages.every(
    ({ messageId, sessionId, contentType, applicationProperties }, at) =>
      messageId === opened[at]?.id &&
      sessionId !== '' &&
      sessionId === messages[0]?.sessionId &&
      contentType === 'application/json' &&
      applicationProperties['webhook-signature'] === opened[at]?.headers['webhook-signature'],
  )
}

/** The answer to a token ("AMQP claims-based authorization"). */
function answerTo({ body, application_properties: properties }: Message, { endpoint, name, keyName, key }: Policy) {
  const resource = encodeURIComponent(`${endpoint}/${name}`)
  const fields = new URLSearchParams(
    String(body)
      .replace(/^SharedAccessSignature /, '')
      .replaceAll('+', '%2B'),
  )
  const signature = createHmac('sha256', key)
    .update(`${resource}\n${fields.get('se')}`)
    .digest('base64')
  const isValid =
    properties?.['operation'] === 'put-token' &&
    properties['name'] === `${endpoint}/${name}` &&
    fields.get('skn') === keyName &&
    fields.get('sig') === signature &&
    Number(fields.get('se')) > 1_000_000_000
  return isValid
    ? { 'status-code': 202, 'status-description': 'Accepted' }
    : { 'status-code': 401, 'status-description': `InvalidSignature of ${key}` }
}

/** A batch has a section for each message. It is not decoded, because its format is not 0. */
function messagesOf(batch: Message): ArrivedMessage[] {
  if (!Buffer.isBuffer(batch)) return []
  const { multiple, content } = rhea.message.decode(batch).body as { multiple?: boolean; content: Buffer | Buffer[] }
  const parts = multiple && Array.isArray(content) ? content : [content as Buffer]
  return parts.map((part) => {
    const { body, message_id, group_id, content_type, application_properties } = rhea.message.decode(part)
    return {
      body: (body as { content: Buffer }).content,
      messageId: String(message_id),
      sessionId: group_id ?? '',
      contentType: content_type ?? '',
      applicationProperties: application_properties as Record<string, string>,
    }
  })
}
