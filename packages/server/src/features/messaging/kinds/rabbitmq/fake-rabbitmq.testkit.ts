import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { ReceivedMessage } from '../conformance.testkit.ts'
import { listenAsTarget } from '../tcp-target.testkit.ts'
import {
  AmqpReader,
  bodyFrame,
  headerFrame,
  methodFrame,
  readProperties,
  takeFrame,
  text,
  u16,
  u32,
  u64,
} from './amqp.testkit.ts'

/** A server that closes what a publication is for, with a code and a text, as RabbitMQ does. */
export interface Closing {
  of: 'connection' | 'channel' | 'login' | 'virtual host'
  code: number
  text: string
}

interface Publish {
  exchange: string
  routingKey: string
  isMandatory: boolean
}

export interface Login {
  username: string
  password: string
  virtualHost: string
  exchange: string
}

type Act = (connection: Connection, message: ReceivedMessage & Publish, tag: bigint) => void

/** How a server may answer a publication badly. */
export const badAnswers: Record<string, Act> = {
  hang: () => undefined,
  'rejects the message': ({ write }, _, tag) => write(methodFrame(1, 60, 120, [u64(tag), Buffer.of(0)])),
  'has no queue': ({ write }, message, tag) => {
    const fields = [u16(312), text('NO_ROUTE'), text(message.exchange), text(message.routingKey)]
    write(methodFrame(1, 60, 50, fields), ...contentOf(message), methodFrame(1, 60, 80, [u64(tag), Buffer.of(0)]))
  },
  'hangs up': ({ socket }) => socket.destroy(),
  'hangs up in the middle of an answer': ({ socket }) => socket.end(Buffer.of(1, 0, 1, 0, 0)),
  'answers with HTML': ({ socket }) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n<html>'),
  'answers with a frame without end': ({ write }) => write(Buffer.of(1, 0, 1, 0x7f, 0xff, 0xff, 0xff)),
  'answers on another channel': ({ write }, _, tag) => write(methodFrame(9, 60, 80, [u64(tag), Buffer.of(0)])),
  'confirms another message': ({ socket }, _, tag) => socket.end(methodFrame(1, 60, 80, [u64(tag + 5n), Buffer.of(0)])),
  'answers without end': ({ write }, message, tag) => {
    const fields = [u16(312), text('NO_ROUTE'), text(''), text('')]
    const huge = { ...message, body: 'x'.repeat(100_000) }
    for (let count = 0; count < 40; count++) write(methodFrame(1, 60, 50, fields), ...contentOf(huge))
    write(methodFrame(1, 60, 80, [u64(tag), Buffer.of(0)]))
  },
  'is short of memory': ({ write }) => write(methodFrame(0, 10, 60, [text('low on memory')])),
}

/** What is sent before the handshake. */
const badGreetings: Record<string, (socket: Socket) => void> = {
  'hangs up before the handshake': (socket) => socket.destroy(),
  'is another protocol': (socket) => socket.end('+PONG\r\n'),
  'has another version': (socket) => socket.end(Buffer.from('AMQP\0\x01\0\0', 'latin1')),
}
export const greetings: readonly string[] = Object.keys(badGreetings)

interface Connection {
  socket: Socket
  write(...frames: Buffer[]): void
}

/** Plays the part of RabbitMQ that a publisher speaks to, strictly: what is not documented closes the connection. */
export async function startFakeRabbitmq(
  login: Login,
  { closings, tls }: { closings: Record<string, Closing>; tls?: { key: string; cert: string } },
) {
  const received: ReceivedMessage[] = []
  const published: Publish[] = []
  let behavior = 'accept'

  function take(connection: Connection, message: ReceivedMessage & Publish, tag: bigint): void {
    const [closing, bad] = [closings[behavior], badAnswers[behavior]]
    if (closing && (closing.of === 'connection' || closing.of === 'channel')) close(connection, closing)
    else if (message.body.includes('"bad"')) badAnswers['rejects the message']?.(connection, message, tag)
    else if (bad) bad(connection, message, tag)
    else {
      const { exchange, routingKey, isMandatory, ...rest } = message
      received.push(rest)
      published.push({ exchange, routingKey, isMandatory })
      connection.write(methodFrame(1, 60, 80, [u64(tag), Buffer.of(0)]))
    }
  }

  const accept = (socket: Socket) => {
    // With TLS, this is not the socket of the server.
    socket.on('error', () => socket.destroy())
    badGreetings[behavior]?.(socket)
    const write = (...frames: Buffer[]) => {
      if (socket.writable) socket.write(Buffer.concat(frames))
    }
    const connection = { socket, write }
    const session = new Session(login, {
      write,
      refusal: (of) => (closings[behavior]?.of === of ? closings[behavior] : undefined),
      take: (message, tag) => take(connection, message, tag),
    })
    let buffered: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      try {
        buffered = session.read(buffered)
      } catch {
        socket.destroy()
      }
    })
  }
  const server: Server = tls ? createTlsServer(tls, accept) : createServer(accept)
  return {
    ...(await listenAsTarget(server)),
    received: () => received,
    published: () => published,
    behave: (what: string) => {
      behavior = what
    },
  }
}

function close({ write }: Pick<Connection, 'write'>, { of, code, text: reason }: Closing): void {
  const fields = [u16(code), text(reason), u16(60), u16(40)]
  write(of === 'channel' ? methodFrame(1, 20, 40, fields) : methodFrame(0, 10, 50, fields))
}

function contentOf({ id, body, headers }: ReceivedMessage): Buffer[] {
  const bytes = Buffer.from(body)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 100_000) parts.push(bodyFrame(1, bytes.subarray(at, at + 100_000)))
  return [headerFrame(1, bytes.length, { messageId: id, headers }), ...parts]
}

interface Doings {
  write(...frames: Buffer[]): void
  refusal(of: Closing['of']): Closing | undefined
  take(message: ReceivedMessage & Publish, tag: bigint): void
}

/** The states of a connection: each accepts one thing, and anything else throws. */
class Session {
  readonly #login: Login
  readonly #does: Doings
  #expects = 'protocol header'
  #tag = 0n
  #publish: Publish | undefined
  #content: { size: number; chunks: Buffer[]; properties: ReturnType<typeof readProperties> } | undefined

  constructor(login: Login, does: Doings) {
    this.#login = login
    this.#does = does
  }

  /** Reads what has arrived, and returns what is left of it. */
  read(bytes: Buffer): Buffer {
    let rest = bytes
    if (this.#expects === 'protocol header') {
      if (rest.length < 8) return rest
      if (rest.toString('latin1', 0, 8) !== 'AMQP\0\0\x09\x01') throw new Error('not AMQP 0-9-1')
      this.#expects = 'start-ok'
      const languages = [u32(5), Buffer.from('PLAIN'), u32(5), Buffer.from('en_US')]
      this.#does.write(methodFrame(0, 10, 10, [Buffer.of(0, 9), u32(0), ...languages]))
      rest = rest.subarray(8)
    }
    for (let frame = takeFrame(rest); frame; frame = takeFrame(rest)) {
      rest = frame.rest
      if (frame.type === 1) this.#method(frame.channel, new AmqpReader(frame.payload))
      else if (frame.type === 2) this.#header(new AmqpReader(frame.payload))
      else if (frame.type === 3) this.#body(frame.payload)
      else if (frame.type !== 8) throw new Error('no such frame')
    }
    return rest
  }

  #method(channel: number, reader: AmqpReader): void {
    const name = `${reader.u16()}.${reader.u16()}`
    const { write } = this.#does
    if (name === '10.51' || name === '20.41') return
    const step = `${this.#expects} ${name} ${channel}`
    if (step === 'start-ok 10.11 0') this.#startOk(reader)
    else if (step === 'tune-ok 10.31 0') this.#expects = 'open'
    else if (step === 'open 10.40 0') {
      const refusal = this.#does.refusal('virtual host')
      if (reader.short() !== this.#login.virtualHost || refusal) {
        close(this.#does, refusal ?? { of: 'virtual host', code: 530, text: 'NOT_ALLOWED - vhost not found' })
        return
      }
      this.#expects = 'channel'
      write(methodFrame(0, 10, 41, [text('')]))
    } else if (step === 'channel 20.10 1') {
      this.#expects = 'confirm'
      write(methodFrame(1, 20, 11, [u32(0)]))
    } else if (step === 'confirm 85.10 1') {
      this.#expects = 'publish'
      write(methodFrame(1, 85, 11, []))
    } else if (step === 'publish 60.40 1') {
      reader.u16()
      const [exchange, routingKey] = [reader.short(), reader.short()]
      this.#publish = { exchange, routingKey, isMandatory: (reader.u8() & 1) === 1 }
      this.#expects = 'header'
    } else throw new Error(`unexpected: ${step}`)
  }

  #startOk(reader: AmqpReader): void {
    reader.table()
    const [mechanism, response] = [reader.short(), reader.long().toString()]
    const { username, password } = this.#login
    const refusal = this.#does.refusal('login')
    if (mechanism !== 'PLAIN' || response !== `\0${username}\0${password}` || refusal) {
      const reason = 'ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN.'
      close(this.#does, refusal ?? { of: 'login', code: 403, text: reason })
      return
    }
    this.#expects = 'tune-ok'
    this.#does.write(methodFrame(0, 10, 30, [u16(2_047), u32(131_072), u16(60)]))
  }

  #header(reader: AmqpReader): void {
    if (this.#expects !== 'header') throw new Error('unexpected header')
    if (reader.u16() !== 60 || reader.u16() !== 0) throw new Error('not of a message')
    this.#content = { size: Number(reader.u64()), chunks: [], properties: readProperties(reader) }
    this.#expects = 'body'
    if (this.#content.size === 0) this.#body(Buffer.alloc(0))
  }

  #body(chunk: Buffer): void {
    const [content, publish] = [this.#content, this.#publish]
    if (this.#expects !== 'body' || !content || !publish) throw new Error('unexpected body')
    content.chunks.push(chunk)
    const body = Buffer.concat(content.chunks)
    if (body.length < content.size) return
    const { messageId, headers, deliveryMode, contentType } = content.properties
    const isWhole = publish.isMandatory && deliveryMode === 2 && contentType === 'application/json'
    if (body.length > content.size || !isWhole || publish.exchange !== this.#login.exchange)
      throw new Error('not as agreed')
    this.#expects = 'publish'
    this.#tag++
    this.#does.take({ id: messageId, body: body.toString(), headers, ...publish }, this.#tag)
  }
}
