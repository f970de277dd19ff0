import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { ServiceBusClient, ServiceBusMessage } from '@azure/service-bus'
import { withoutSecrets } from '@mortise/providers'
import type { WebSocket } from 'ws'
import { asOutboundError, bareHost, OutboundError, openGuardedSocket } from '../../../../kernel/net/index.ts'
import { silenceAzure } from '../azure-log.ts'
import type { KindServices } from '../kind.ts'
import { type AmqpConnection, type ClientContext, watchPeer } from './amqp-limits.ts'
import { NoWebSocket, refusalOfClient, refusalOfCondition, ServiceBusRefusal } from './refusal.ts'
import { connectionOf, type ServiceBusSettings, webSocketUrl } from './settings.ts'

/** An open link to a queue or topic, for one `send` at a time. */
export interface ServiceBusConnection {
  /** Maximum size of messages that are sent together. */
  bytesMax: number
  /**
   * Sends messages together. Returns when the service has stored all of them.
   *
   * @throws OutboundError, and ServiceBusRefusal
   */
  send(messages: readonly ServiceBusMessage[]): Promise<void>
  /** Why the connection ended; undefined while it is open. */
  ended(): OutboundError | undefined
  /** Ends it immediately. */
  end(reason: OutboundError): void
}

/** Service Bus takes no larger batches, whatever a link accepts ("Service Bus quotas"). */
const batchBytesMax = 2 ** 20
/** Bytes of answers to one `send`, and to the handshakes. */
const answerBytesMax = 2 ** 20
const shownBytesMax = 4_096
/** The deadline of each `send` is shorter. */
const clientTimeoutMs = 600_000

/**
 * Opens AMQP over a WebSocket, behind the address guard.
 *
 * @throws OutboundError, and a refusal of the service
 */
export async function connectServiceBus(
  settings: ServiceBusSettings,
  { guard, names, project }: Pick<KindServices, 'guard' | 'names' | 'project'>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<ServiceBusConnection> {
  // Loaded with the first connection: most services have no destination of this kind.
  const libraries = await Promise.all([import('@azure/service-bus'), import('ws')])
  await silenceAzure()
  const url = webSocketUrl(settings)
  const tls = url.protocol === 'https:'
  const host = bareHost(url)
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port)
  const socket = await openGuardedSocket({ host, port, tls, guard, names, project, timeoutMs, signal })
  const connection = new Connection(socket, url.host)
  const onAbort = () => connection.end(new OutboundError('aborted', `The connection to ${url.host} was canceled.`))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    if (signal.aborted) onAbort()
    await connection.open(settings, url, libraries)
    return connection
  } catch (error) {
    connection.end(new OutboundError('connect', `${url.host} refused the connection.`))
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

type Libraries = [typeof import('@azure/service-bus'), typeof import('ws')]

class Connection implements ServiceBusConnection {
  bytesMax = batchBytesMax
  readonly #socket: Socket
  readonly #shown: string
  readonly #ending = new AbortController()
  /** Rejects at the end. */
  readonly #end = Promise.withResolvers<never>()
  #client: ServiceBusClient | undefined
  #amqp: AmqpConnection | undefined
  #sender: ReturnType<ServiceBusClient['createSender']> | undefined
  #refusal: ServiceBusRefusal | NoWebSocket | undefined
  #ended: OutboundError | undefined
  #bytesUntil: number
  /** What the client authorizes itself with: a text that contains it would give access to a reader of the attempt. */
  #token = ''

  constructor(socket: Socket, shown: string) {
    this.#socket = socket
    this.#shown = shown
    this.#bytesUntil = socket.bytesRead + answerBytesMax
    this.#end.promise.catch(() => undefined)
    socket.once('close', () => this.end(this.#closed()))
  }

  async open(settings: ServiceBusSettings, url: URL, [{ ServiceBusClient }, { WebSocket }]: Libraries): Promise<void> {
    const { host, keyName, key } = connectionOf(settings)
    const webSocket = webSocketOver(WebSocket, this.#socket, url, (opened) => this.#watch(opened))
    this.#client = new ServiceBusClient(
      `Endpoint=sb://${host}/;SharedAccessKeyName=${keyName};SharedAccessKey=${key}`,
      { webSocketOptions: { webSocket }, retryOptions: { maxRetries: 0, timeoutInMs: clientTimeoutMs } },
    )
    const { connection, tokenCredential }: ClientContext = Reflect.get(this.#client, '_connectionContext')
    const getToken = tokenCredential.getToken.bind(tokenCredential)
    tokenCredential.getToken = async (audience) => {
      const answer = await getToken(audience)
      this.#token = answer.token
      return answer
    }
    this.#amqp = connection._connection
    watchPeer(connection, {
      onViolation: (cause) => this.end(this.#protocolError(cause)),
      onClosing: (error) => {
        if (error) this.#refusal ??= refusalOfCondition(error)
        this.end(this.#closed())
      },
    })
    this.#sender = this.#client.createSender(settings.name)
    const { maxSizeInBytes } = await this.#run((by) => this.#sender?.createMessageBatch(by))
    if (maxSizeInBytes === 0) throw this.#protocolError('no size is accepted')
    // Undefined, or bytes, if there is no maximum.
    if (maxSizeInBytes > 0) this.bytesMax = Math.min(maxSizeInBytes, batchBytesMax)
  }

  async send(messages: readonly ServiceBusMessage[]): Promise<void> {
    this.#bytesUntil = this.#socket.bytesRead + answerBytesMax
    const batch = await this.#run((by) => this.#sender?.createMessageBatch({ ...by, maxSizeInBytes: this.bytesMax }))
    if (!messages.every((message) => batch.tryAddMessage(message)))
      throw new ServiceBusRefusal('MessageSizeExceeded', `The maximum is ${this.bytesMax} bytes.`)
    await this.#run(() => this.#credit())
    await this.#run((by) => this.#sender?.sendMessages(batch, by))
  }

  ended = () => this.#ended

  end(reason: OutboundError): void {
    if (this.#ended) return
    this.#ended = reason
    this.#end.reject(reason)
    this.#ending.abort()
    // The client learns of it by the WebSocket, and stops its timers. It would start this one again.
    if (this.#amqp) this.#amqp.local.open.idle_time_out = undefined
    this.#socket.destroy()
  }

  /** The client would look only once a second whether the service accepts another message. */
  async #credit(): Promise<void> {
    const link = this.#amqp?.find_sender(({ name }) => name.startsWith(`${this.#sender?.entityPath}-`))
    while (link && !link.sendable()) await once(link, 'sendable', { signal: this.#ending.signal })
  }

  /** Waits for the client, and no longer than until the end. */
  async #run<T>(step: (by: { abortSignal: AbortSignal }) => Promise<T> | undefined): Promise<T> {
    if (this.#ended) throw this.#ended
    try {
      const result = step({ abortSignal: this.#ending.signal })
      if (result === undefined) throw new TypeError('The connection is not open.')
      return await Promise.race([result, this.#end.promise])
    } catch (error) {
      const refusal = this.#refusal ?? (this.#ended ? undefined : refusalOfClient(error))
      if (refusal instanceof ServiceBusRefusal) throw new ServiceBusRefusal(refusal.code, this.#safe(refusal.message))
      throw refusal ?? this.#ended ?? this.#protocolError(error)
    }
  }

  #safe(text: string): string {
    const credential = this.#token.replace(/^SharedAccessSignature /, '')
    const signature = credential.split('&').find((part) => part.startsWith('sig=')) ?? ''
    return withoutSecrets(text, [credential, signature.slice(4)])
  }

  #watch(webSocket: WebSocket): void {
    webSocket.once('open', () =>
      this.#socket.on('data', () => {
        if (this.#socket.bytesRead > this.#bytesUntil)
          this.end(new OutboundError('too_large', `${this.#shown} answered with too many bytes.`))
      }),
    )
    webSocket.once('unexpected-response', (_, response: IncomingMessage) => this.#refuse(response))
    webSocket.on('error', (error) => this.end(this.#failureOf(error)))
    webSocket.once('close', () => {
      this.end(this.#closed())
      this.#client?.close().catch(() => undefined)
    })
  }

  async #refuse(response: IncomingMessage): Promise<void> {
    const refusal = new NoWebSocket(response.statusCode ?? 0)
    this.#refusal ??= refusal
    try {
      for await (const chunk of response) {
        refusal.body = Buffer.concat([refusal.body, chunk as Buffer]).subarray(0, shownBytesMax)
        if (refusal.body.length === shownBytesMax) break
      }
    } catch {
      // What arrived is shown.
    }
    this.end(this.#closed())
  }

  #closed(): OutboundError {
    return new OutboundError('connect', `${this.#shown} closed the connection.`)
  }

  #failureOf(error: unknown): OutboundError {
    const known = asOutboundError(error, this.#shown)
    const isOfNetwork = error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code))
    return known.kind !== 'connect' || isOfNetwork ? known : this.#protocolError(error)
  }

  #protocolError(cause: unknown): OutboundError {
    return new OutboundError('protocol', `${this.#shown} does not answer like Service Bus.`, { cause })
  }
}

/** Returns the class of which the client makes one WebSocket. Another one is refused: the client never reconnects. */
function webSocketOver(Class: typeof WebSocket, socket: Socket, url: URL, opened: (webSocket: WebSocket) => void) {
  let isOver = false
  return class extends Class {
    constructor(_url: string, protocols: string | string[] = []) {
      if (isOver) throw new OutboundError('connect', `${url.host} closed the connection.`)
      isOver = true
      super(url, [protocols].flat(), {
        createConnection: () => socket,
        maxPayload: answerBytesMax,
        perMessageDeflate: false,
      })
      opened(this)
    }
  }
}
