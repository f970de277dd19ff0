import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { ParserEvent } from '@nats-io/nats-core/internal'
import { asOutboundError, OutboundError, openGuardedSocket, shownHost, startTls } from '../../../../kernel/net/index.ts'
import type { KindServices } from '../kind.ts'
import { loginLine, parseGreeting, type ServerGreeting } from './nats-login.ts'
import { type NatsSettings, targetOf } from './settings.ts'

export interface Publication {
  subject: string
  /** With their first line and the empty one at the end. */
  headers: Buffer
  body: Buffer
}

/** The reply to a publication: its status line if it has one, and its content. Undefined if there was none. */
export type Reply = { status: string; content: Buffer } | undefined

export interface NatsConnection {
  greeting: ServerGreeting
  /** Publishes messages, and resolves with a reply to each, in their order. Never rejects. */
  publish(publications: readonly Publication[]): Promise<Reply[]>
  /** What the server said was wrong, since the last `publish` began. */
  errors(): readonly string[]
  /** Why the connection ended; undefined while it is open. */
  ended(): OutboundError | undefined
  /** Ends it immediately: messages without a reply are not confirmed. */
  end(reason: OutboundError): void
}

/** The server refused the login with this reason. */
export class NatsRefusal extends Error {
  override name = 'NatsRefusal'
}

interface Opening {
  timeoutMs: number
  signal: AbortSignal
}

/** Bytes that the server may send with the greeting, and with the replies to one batch. */
const greetingBytesMax = 64 * 1024
const answerBytesMax = 2 ** 20
const errorsMax = 200

/**
 * Opens a connection behind the address guard, logs in, and subscribes to the replies of the stream.
 *
 * @throws OutboundError, and NatsRefusal if the server refuses the login
 */
export async function connectNats(
  settings: NatsSettings,
  services: Pick<KindServices, 'guard' | 'names' | 'project'>,
  { timeoutMs, signal }: Opening,
): Promise<NatsConnection> {
  const { host, port, tls } = targetOf(settings)
  const shown = shownHost(host, port)
  const { guard, names, project } = services
  // Loaded with the first connection: most services have no destination of this kind.
  const library = await import('@nats-io/nats-core/internal')
  const target = { host, port, guard, names, project, timeoutMs, signal }
  const plain = await openGuardedSocket({ ...target, tls: tls ? 'later' : false })
  try {
    const greeting = await greetingOf(plain, shown)
    if (tls && !greeting.hasTls) throw new OutboundError('tls', `${shown} does not accept TLS.`)
    if (!tls && greeting.needsTls) throw new OutboundError('tls', `${shown} requires TLS: use tls:// in serverUrl.`)
    const ca = settings.caCertificate
    const socket = tls ? await startTls(plain, { ...target, ...(ca !== undefined && { ca }) }) : plain
    const session = new Session(socket, shown)
    const parser = new library.Parser({
      push: (event) => {
        if ('kind' in event) session.take(event)
      },
    })
    session.listen((chunk) => parser.parse(chunk))
    await session.logIn(signedLogin(library, settings, { nonce: greeting.nonce, tls }))
    return {
      greeting,
      publish: (publications) => session.publish(publications),
      errors: () => session.errors,
      ended: () => session.ended,
      end: (reason) => session.end(reason),
    }
  } catch (error) {
    plain.destroy()
    throw error
  }
}

/** @throws OutboundError if the seed cannot sign */
function signedLogin(...args: Parameters<typeof loginLine>): string {
  try {
    return loginLine(...args)
  } catch {
    // The error may contain the seed.
    throw new OutboundError('protocol', 'The nkey seed in the credentials is not valid.')
  }
}

/** Reads the first line, and nothing after it: with TLS, what follows in plain is not from the server. */
async function greetingOf(socket: Socket, shown: string): Promise<ServerGreeting> {
  let text = ''
  const { promise, resolve, reject } = Promise.withResolvers<ServerGreeting>()
  const wrong = new OutboundError('protocol', `${shown} does not answer like a NATS server.`)
  const onData = (chunk: Buffer) => {
    text += chunk.toString('latin1')
    const end = text.indexOf('\r\n')
    const greeting = end < 0 ? undefined : parseGreeting(Buffer.from(text.slice(0, end), 'latin1').toString())
    if (greeting !== undefined && end === text.length - 2) resolve(greeting)
    else if (end >= 0 || text.length > greetingBytesMax || !'INFO'.startsWith(text.slice(0, 4).toUpperCase()))
      reject(wrong)
  }
  const onError = (error: Error) => reject(asOutboundError(error, shown))
  const onClose = () => reject(new OutboundError('connect', `${shown} closed the connection.`))
  socket.on('data', onData).once('error', onError).once('close', onClose)
  try {
    return await promise
  } finally {
    socket.pause().off('data', onData).off('error', onError).off('close', onClose)
  }
}

/** An open connection: what is waited for, and what the server said. */
class Session {
  readonly errors: string[] = []
  ended: OutboundError | undefined
  readonly #socket: Socket
  readonly #shown: string
  /** Replies come to subjects that nobody can guess. */
  readonly #inbox = `_INBOX.${randomUUID().replaceAll('-', '')}`
  readonly #waiting = new Map<string, (reply: Reply) => void>()
  /** Subjects of the publications of a batch, by the subjects of their replies. */
  readonly #subjects = new Map<string, string>()
  #onPong: (() => void) | undefined
  #bytes = 0
  #published = 0

  constructor(socket: Socket, shown: string) {
    this.#socket = socket
    this.#shown = shown
  }

  listen(parse: (chunk: Buffer) => void): void {
    const shown = this.#shown
    this.#socket.on('error', (error) => this.end(asOutboundError(error, shown)))
    this.#socket.once('close', () => this.end(new OutboundError('connect', `${shown} closed the connection.`)))
    this.#socket.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length
      if (this.#bytes > answerBytesMax)
        this.end(new OutboundError('too_large', `${shown} answered with too many bytes.`))
      if (this.ended) return
      try {
        parse(chunk)
      } catch (cause) {
        this.end(new OutboundError('protocol', `${shown} does not answer like a NATS server.`, { cause }))
      }
    })
    this.#socket.resume()
  }

  /** Takes what the server sent: a line, or a message. */
  take({ kind, msg, data = Buffer.alloc(0) }: ParserEvent): void {
    if (kind === kinds.PING) this.#write('PONG\r\n')
    else if (kind === kinds.PONG) this.#onPong?.()
    else if (kind === kinds.ERR) {
      this.#fail(Buffer.from(data).toString().replace(/^'|'$/g, ''))
    } else if (kind === kinds.MSG && msg) {
      const subject = Buffer.from(msg.subject).toString()
      const bytes = Buffer.from(data)
      const headers = bytes.toString('utf8', 0, Math.max(msg.hdr, 0))
      const status = /^NATS\/1\.0 (\d{3}[^\r\n]{0,200})/.exec(headers)?.[1]?.trim() ?? ''
      this.#settle(subject, { status, content: bytes.subarray(Math.max(msg.hdr, 0)) })
    }
  }

  async logIn(line: string): Promise<void> {
    const answered = new Promise<void>((settle) => {
      this.#onPong = settle
      this.#waiting.set('login', () => settle())
    })
    this.#write(`${line}SUB ${this.#inbox}.* 1\r\nPING\r\n`)
    await answered
    this.#onPong = undefined
    this.#waiting.delete('login')
    const [error] = this.errors
    if (error !== undefined) throw new NatsRefusal(error)
    if (this.ended) throw this.ended
  }

  async publish(publications: readonly Publication[]): Promise<Reply[]> {
    this.errors.length = 0
    this.#bytes = 0
    // Together: a write for each part would be a packet for each, and wait for the one before.
    this.#socket.cork()
    const replies = publications.map(({ subject, headers, body }) => {
      const inbox = `${this.#inbox}.${this.#published++}`
      const reply = new Promise<Reply>((settle) => this.#waiting.set(inbox, settle))
      this.#subjects.set(inbox, subject)
      if (this.ended) this.#settle(inbox, undefined)
      this.#write(`HPUB ${subject} ${inbox} ${headers.length} ${headers.length + body.length}\r\n`)
      this.#write(headers)
      this.#write(body)
      this.#write('\r\n')
      return reply
    })
    this.#socket.uncork()
    try {
      return await Promise.all(replies)
    } finally {
      this.#subjects.clear()
    }
  }

  end(reason: OutboundError): void {
    this.ended ??= reason
    this.#socket.destroy()
    this.#settleAll()
  }

  /** What is not permitted has no reply: the error names the subject. */
  #fail(error: string): void {
    if (this.errors.length < errorsMax) this.errors.push(error)
    const refused = /^permissions violation for publish to "(.*)"$/i.exec(error)?.[1]
    for (const [inbox, subject] of this.#subjects) if (subject === refused) this.#settle(inbox, undefined)
  }

  #settle(subject: string, reply: Reply): void {
    this.#waiting.get(subject)?.(reply)
    this.#waiting.delete(subject)
  }

  #settleAll(): void {
    for (const subject of [...this.#waiting.keys()]) this.#settle(subject, undefined)
  }

  #write(bytes: string | Buffer): void {
    if (this.#socket.writable) this.#socket.write(bytes)
  }
}

/** `Kind` of the library, which is loaded later. */
const kinds = { ERR: 1, MSG: 2, PING: 4, PONG: 5 } as const
