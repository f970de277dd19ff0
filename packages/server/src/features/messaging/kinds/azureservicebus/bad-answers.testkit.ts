import type { Duplex } from 'node:stream'
import type { Connection, Delivery, Session } from 'rhea'
import type { WebSocket } from 'ws'

/** A frame of AMQP 1.0 (section 2.3) with a performative. */
const frame = (hex: string, channel = 1) => {
  const body = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  const head = Buffer.alloc(8)
  head.writeUInt32BE(body.length + 8)
  head.writeUInt8(2, 4)
  head.writeUInt16BE(channel, 6)
  return Buffer.concat([head, body])
}

/** A batch that arrived, and what it came by. */
export interface Batch {
  delivery: Delivery
  link: { close(error?: object): void; drain_credit(): void }
  session: Session
  connection: Connection
  webSocket: WebSocket
}

/** After these, nothing comes any more: the deadline ends them. */
export const silences: Record<string, (batch: Batch) => void> = {
  hang: () => undefined,
  'announces a huge frame': ({ webSocket }) => webSocket.send(Buffer.from('<html>Hello</html>')),
  'sends a text': ({ webSocket }) => webSocket.send('accepted'),
}

/** What a service may do with a batch in place of accepting it. */
export const badAnswers: Record<string, (batch: Batch) => void> = {
  'rejects the message': ({ delivery }) => delivery.reject(),
  'releases the message': ({ delivery }) => delivery.release(),
  'modifies the message': ({ delivery }) => delivery.modified({ delivery_failed: true, undeliverable_here: true }),
  'settles without an outcome': ({ delivery }) => delivery.update(true),
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
  'allows nothing': { condition: 'amqp:not-allowed', description: 'Not now.' },
  'is disabled': { condition: 'com.microsoft:entity-disabled', description: 'The entity is disabled.' },
}

/** What is in place of the answer to a token. */
export const tokenAnswers: Record<string, object> = {
  'refuses the key': { 'status-code': 401, 'status-description': 'InvalidSignature' },
  'answers the token without a status': {},
  'answers the token with a message without sections': {},
}

/** What is in place of a WebSocket. */
export const upgrades: Record<string, (socket: Duplex) => void> = {
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
  'says nothing': (socket) => socket.on('end', () => socket.end()).resume(),
  'hangs up before the handshake': (socket) => socket.destroy(),
}

/** What is in place of AMQP 1.0. */
export const greetings: Record<string, (webSocket: WebSocket) => void> = {
  'speaks AMQP 0-9-1': (webSocket) => webSocket.send(Buffer.from('AMQP\0\0\x09\x01', 'latin1')),
  'greets with garbage': (webSocket) => webSocket.send(Buffer.from('<html>Hello</html>')),
  'closes the WebSocket at once': (webSocket) => webSocket.close(),
}

/** What is announced with the connection. */
export const opens: Record<string, object> = {
  'accepts frames without content': { max_frame_size: 50 },
  'wants to hear something all the time': { idle_time_out: 1 },
}

/** All that ends before the deadline. */
export const failures = [badAnswers, rejections, closings, tokenAnswers, upgrades, greetings, opens]
  .flatMap((some) => Object.keys(some))
  .filter((name) => name !== 'says nothing')

/** All that the deadline ends. */
export const hangs = [...Object.keys(silences), 'says nothing', 'gives no credit']
