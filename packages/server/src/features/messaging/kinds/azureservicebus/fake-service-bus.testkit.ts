import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import rhea, { type Connection, type Delivery, type EventContext, type Message, type Sender, type Session } from 'rhea'
import { type WebSocket, WebSocketServer } from 'ws'
import type { ReceivedMessage } from '../conformance.testkit.ts'
import { isBad, unwrapped } from '../http-target.testkit.ts'
import { listenAsTarget } from '../tcp-target.testkit.ts'

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

interface Batch {
  delivery: Delivery
  link: { close(error?: object): void; drain_credit(): void }
  session: Session
  connection: Connection
  webSocket: WebSocket
}

/** What a service may do with a batch in place of accepting it. */
export const badAnswers: Record<string, (batch: Batch) => void> = {
  'rejects the message': ({ delivery }) => delivery.reject(),
  'releases the message': ({ delivery }) => delivery.release(),
  'modifies the message': ({ delivery }) => delivery.modified({ delivery_failed: true, undeliverable_here: true }),
  'closes the link': ({ link }) => link.close({ condition: 'amqp:link:stolen', description: 'New link' }),
  'closes the link without a reason': ({ link }) => link.close(),
  'closes the session': ({ session }) => session.close({ condition: 'amqp:internal-error', description: 'x' }),
  'closes the connection': ({ connection }) =>
    connection.close({ condition: 'amqp:connection:forced', description: 'The node shuts down.' }),
  'hangs up': ({ webSocket }) => webSocket.terminate(),
  'closes the WebSocket': ({ webSocket }) => webSocket.close(),
  'answers with garbage': ({ webSocket }) => webSocket.send(frame('deadbeef')),
  'answers without end': ({ webSocket }) => {
    // Empty frames.
    for (let count = 0; count < 40; count++)
      webSocket.send(Buffer.alloc(2 ** 16, Buffer.from('0000000802000000', 'hex')))
  },
  // From the first to the 4,294,967,295th.
  'accepts all messages there are': ({ webSocket }) =>
    webSocket.send(frame('005315d00000000d00000004414370ffffffff41')),
  // Of two billion values, which need no bytes.
  'announces an endless array': ({ webSocket }) => webSocket.send(frame('005315c00d0541434341f000000005 7fffffff 41')),
  'announces an endless list': ({ webSocket }) => webSocket.send(frame('005315d00000000d01000000')),
  'takes credit back': ({ link }) => link.drain_credit(),
}

const frame = (hex: string, channel = 1) => {
  const body = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.writeUInt8(2, 4)
  head.writeUInt16BE(channel, 6)
  return Buffer.concat([head, body])
}

/** Errors of Service Bus for a batch ("AMQP errors in Azure Service Bus"). */
export const rejections: Record<string, { condition: string; description: string }> = {
  'is full': { condition: 'amqp:resource-limit-exceeded', description: 'The maximum entity size has been reached.' },
  'is busy': {
    condition: 'com.microsoft:server-busy',
    description: 'The namespace is being throttled. Error code: 50009. Please wait 2 seconds and try again.',
  },
  'takes no message of this size': { condition: 'amqp:link:message-size-exceeded', description: 'Too large.' },
  'needs a session': { condition: 'amqp:not-allowed', description: 'The SessionId was not set on a message.' },
}

/** Errors for a link. */
export const closings: Record<string, { condition: string; description: string }> = {
  'has no such queue': {
    condition: 'amqp:not-found',
    description: "The messaging entity 'crm/messages' could not be found.",
  },
  'permits no message': { condition: 'amqp:unauthorized-access', description: "'Send' claim(s) are required." },
  'is disabled': { condition: 'com.microsoft:entity-disabled', description: 'The entity is disabled.' },
}

/** What is in place of the answer to a token. */
const tokenAnswers: Record<string, object> = {
  'refuses the key': { 'status-code': 401, 'status-description': 'InvalidSignature' },
  'answers the token without a status': {},
}

/** What is in place of a WebSocket. */
const upgrades: Record<string, (socket: Duplex) => void> = {
  'answers with HTML': (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 18\r\n\r\n<html>Hello</html>'),
  'answers 401': (socket) => socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n'),
  'answers 500': (socket) => socket.end('HTTP/1.1 500 Oh\r\ncontent-length: 100\r\n\r\nhalf'),
  redirects: (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n'),
  'opens another WebSocket': (socket) =>
    socket.write(
      'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: x\r\n\r\n',
    ),
  'speaks another protocol': (socket) => socket.end('+PONG\r\n'),
  'hangs up before the handshake': (socket) => socket.destroy(),
}

/** What is in place of AMQP 1.0. */
const greetings: Record<string, (webSocket: WebSocket) => void> = {
  'speaks AMQP 0-9-1': (webSocket) => webSocket.send(Buffer.from('AMQP\0\0\x09\x01', 'latin1')),
  'greets with garbage': (webSocket) => webSocket.send(Buffer.from('<html>Hello</html>')),
  'closes the WebSocket at once': (webSocket) => webSocket.close(),
}

/** What is announced with the connection. */
const opens: Record<string, object> = {
  'accepts frames without content': { max_frame_size: 50 },
  'wants to hear something all the time': { idle_time_out: 1 },
}

export const failures = [badAnswers, rejections, closings, tokenAnswers, upgrades, greetings, opens].flatMap((some) =>
  Object.keys(some),
)

/** Plays the part of Service Bus that a sender speaks to, strictly: what is not documented is rejected. */
export async function startFakeServiceBus(policy: Policy, { bytesMax = 262_144 } = {}) {
  const received: ReceivedMessage[] = []
  const arrived: ArrivedMessage[] = []
  const container = rhea.create_container({ autoaccept: false })
  container.sasl_server_mechanisms.enable_anonymous()
  const replies = new Map<string, Sender>()
  let behavior = 'accept'
  let batches = 0

  container.on('sender_open', ({ sender }: EventContext) => sender && replies.set(sender.name, sender))
  container.on('receiver_open', ({ receiver }: EventContext) => {
    const { address } = receiver?.target ?? {}
    const closing = closings[behavior] ?? (address === policy.name ? undefined : closings['has no such queue'])
    if (address !== '$cbs' && closing) receiver?.close(closing)
  })
  container.on('message', ({ message, delivery, receiver, connection, session }: EventContext) => {
    if (!message || !delivery || !receiver) return
    if (receiver.target.address === '$cbs') {
      delivery.accept()
      const properties = tokenAnswers[behavior] ?? answerTo(message, policy)
      replies.get(message.reply_to ?? '')?.send({
        ...{ correlation_id: String(message.message_id), application_properties: properties, body: '' },
      })
      return
    }
    batches++
    const { webSocket } = connection.options as { webSocket?: WebSocket }
    const bad = badAnswers[behavior]
    const rejection = rejections[behavior]
    if (behavior === 'hang') return
    if (behavior === 'echo')
      delivery.reject({ condition: 'amqp:internal-error', description: `You sent ${policy.key}.` })
    else if (bad && session && webSocket) bad({ delivery, link: receiver, session, connection, webSocket })
    else if (rejection) delivery.reject(rejection)
    else take(messagesOf(message), delivery)
  })
  // Before it is sent.
  container.on('connection_open', ({ connection }: EventContext) =>
    Object.assign(connection.local.open, opens[behavior]),
  )
  for (const event of [
    'connection_error',
    'session_error',
    'receiver_error',
    'disconnected',
    'protocol_error',
    'error',
  ])
    container.on(event, () => undefined)

  function take(messages: ArrivedMessage[], delivery: Delivery): void {
    const opened = messages.map(({ body }) => unwrapped(body.toString()))
    const isWhole = messages.every(
      ({ messageId, sessionId, contentType, applicationProperties }, at) =>
        messageId === opened[at]?.id &&
        sessionId !== '' &&
        sessionId === messages[0]?.sessionId &&
        contentType === 'application/json' &&
        applicationProperties['webhook-signature'] === opened[at]?.headers['webhook-signature'],
    )
    if (!isWhole || opened.some(isBad))
      return delivery.reject({ condition: 'com.microsoft:argument-error', description: 'A message is bad.' })
    received.push(...opened)
    arrived.push(...messages)
    delivery.accept()
  }

  const server = createServer((_, response) => response.writeHead(404).end())
  const upgrader = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket: Duplex, head) => {
    const planned = upgrades[behavior]
    if (planned) return planned(socket)
    const isKnown =
      request.url === '/$servicebus/websocket' && request.headers['sec-websocket-protocol'] === 'AMQPWSB10'
    if (!isKnown) return (socket as Socket).end('HTTP/1.1 400 Bad\r\ncontent-length: 0\r\n\r\n')
    upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      const greet = greetings[behavior]
      if (greet) return greet(webSocket)
      const options = { webSocket, receiver_options: { max_message_size: bytesMax, autoaccept: false } }
      container.websocket_accept(webSocket as never, options as never)
    })
  })
  return {
    ...(await listenAsTarget(server)),
    received: () => received,
    /** The same messages, as a receiver gets them. */
    arrived: () => arrived,
    batches: () => batches,
    behave: (what: string) => {
      behavior = what
    },
  }
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
