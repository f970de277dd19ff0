import type { EventEmitter } from 'node:events'

/** What the client keeps for itself. */
export interface ClientContext {
  connection: ClientConnection
  tokenCredential: { getToken(audience: string): Promise<{ token: string }> }
}

/** A connection of the client, as far as it is used here. It belongs to `rhea-promise`. */
interface ClientConnection extends EventEmitter {
  _connection: AmqpConnection
  container: AmqpLibrary
}

/** The AMQP connection below it, which belongs to `rhea`. Nothing else says why a link was closed. */
export interface AmqpConnection extends EventEmitter {
  local: { open: { idle_time_out: number | undefined } }
  on_open(frame: Frame): void
  on_flow(frame: Frame): void
  on_disposition(frame: Frame): void
  on_detach(frame: Frame): void
  on_end(frame: Frame): void
  on_close(frame: Frame): void
  find_sender(filter: (link: AmqpLink) => boolean): AmqpLink | undefined
}

export interface AmqpLink extends EventEmitter {
  name: string
  sendable(): boolean
}

interface Frame {
  performative: {
    max_frame_size?: number | null
    idle_time_out?: number | null
    drain?: boolean
    first?: number
    last?: number | null
    state?: { descriptor?: { value: unknown } } | null
    error?: { condition?: unknown; description?: unknown }
  }
}

/** Parts of the library, which all connections share. */
interface AmqpLibrary {
  types: { Reader: { new (bytes: Buffer): Reader; prototype: Reader } }
  message: { decode(bytes: Buffer): unknown }
}

interface Reader {
  remaining(): number
  read(): { descriptor?: { value: unknown } }
  read_n(count: number): unknown
  read_array_items(count: number, type: unknown): unknown
}

interface Peer {
  /** The server breaks the protocol. */
  onViolation(cause: unknown): void
  /** The server closed a link, a session or the connection. */
  onClosing(error: Frame['performative']['error']): void
}

/** AMQP 1.0, section 2.7.1: the smallest maximum. */
const frameBytesMin = 512
const idleMs = { min: 1_000, max: 2 ** 31 - 1 }
const rangeMax = 10_000
/** Section 3.4. The client would write another one to the console. */
const outcome = /^(?:3[5-8]|amqp:(?:received|accepted|rejected|released|modified):list)$/

/** A server may send something else than a number: then the comparison fails. */
const violations = {
  on_open: ({ max_frame_size: size, idle_time_out: idle }: Frame['performative']) =>
    !((size ?? frameBytesMin) >= frameBytesMin && (!idle || (idle >= idleMs.min && idle <= idleMs.max))),
  on_flow: ({ drain }: Frame['performative']) => drain,
  on_disposition: ({ first = 0, last, state }: Frame['performative']) =>
    !((last ?? first) - first <= rangeMax) || (state && !outcome.test(String(state.descriptor?.value))),
}

/**
 * Watches what the server sends. The client counts up to numbers of the server, waits for times of it, and allocates
 * what it announces: a bad server would keep the process busy or use up its memory. So these numbers end the
 * connection.
 */
export function watchPeer(client: ClientConnection, { onViolation, onClosing }: Peer): void {
  limitDecoding(client.container)
  // Otherwise an error that comes late would end the process.
  client.on('error', () => undefined)
  const connection = client._connection
  for (const name of ['on_open', 'on_flow', 'on_disposition'] as const) {
    const read = connection[name].bind(connection)
    connection[name] = (frame) => {
      if (violations[name](frame.performative)) onViolation(new RangeError(`${name} with a bad number`))
      else read(frame)
    }
  }
  for (const name of ['on_detach', 'on_end', 'on_close'] as const) {
    const read = connection[name].bind(connection)
    connection[name] = (frame) => {
      onClosing(frame.performative.error)
      read(frame)
    }
  }
  connection.on('error', onViolation).on('protocol_error', onViolation)
}

const limited = new WeakSet<object>()
/** Section 3.2: the sections of a message. The client would write what is none to the console. */
const section = /^(?:11[2-9]|120|amqp:[a-z-]{1,30}:[a-z*]{1,10})$/

/** Limits the library, once. */
function limitDecoding({ types: { Reader }, message }: AmqpLibrary): void {
  if (limited.has(message)) return
  limited.add(message)
  limitReader(Reader.prototype)
  const { decode } = message
  message.decode = (bytes) => {
    for (const reader = new Reader(bytes); reader.remaining() > 0; )
      if (!section.test(String(reader.read().descriptor?.value))) throw new TypeError('not a section of a message')
    return decode(bytes)
  }
}

/** Each item of a list or an array needs a byte, except for values without bytes, of which nobody sends many. */
function limitReader(reader: Reader): void {
  const { read_n: readList, read_array_items: readArray } = reader
  const check = (count: number, { remaining }: { remaining: number }) => {
    if (count > remaining) throw new RangeError('more items than bytes')
  }
  reader.read_n = function (count) {
    check(count, { remaining: this.remaining() })
    return readList.call(this, count)
  }
  reader.read_array_items = function (count, type) {
    check(count, { remaining: this.remaining() })
    return readArray.call(this, count, type)
  }
}
