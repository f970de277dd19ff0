import type { Socket } from 'node:net'
import { asOutboundError, OutboundError, openGuardedSocket, shownHost } from '../../../../kernel/net/index.ts'
import type { KindServices } from '../kind.ts'
import type { ServerAddress } from '../server-address.ts'
import { Fields, int16, int32, string } from './bytes.ts'
import type { KafkaRequest } from './requests.ts'

export interface KafkaConnection {
  /** host and port */
  readonly shown: string
  /** Sends a request, and resolves with its response. One at a time. @throws OutboundError */
  request<T>(request: KafkaRequest<T>): Promise<T>
  /** Why the connection ended; undefined while it is open. */
  ended(): OutboundError | undefined
  /** Ends it immediately: a request without a response fails. */
  end(reason: OutboundError): void
}

const clientId = 'mortise'
/** Bytes of one response at most: enough for the metadata of a topic with thousands of partitions. */
const responseBytesMax = 4 * 2 ** 20

/** Opens a connection to a broker behind the address guard. @throws OutboundError */
export async function connectBroker(
  { host, port, tls }: ServerAddress,
  { guard, names, project }: Pick<KindServices, 'guard' | 'names' | 'project'>,
  { timeoutMs, signal, ca }: { timeoutMs: number; signal: AbortSignal; ca: string | undefined },
): Promise<KafkaConnection> {
  const target = { host, port, tls, guard, names, project, timeoutMs, signal }
  const socket = await openGuardedSocket({ ...target, ...(ca !== undefined && { ca }) })
  return new Connection(socket, shownHost(host, port))
}

class Connection implements KafkaConnection {
  readonly shown: string
  readonly #socket: Socket
  #ended: OutboundError | undefined
  #correlation = 0
  #waiting: { resolve(response: Buffer): void; reject(reason: OutboundError): void } | undefined
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(socket: Socket, shown: string) {
    this.shown = shown
    this.#socket = socket
    socket.on('error', (error) => this.end(asOutboundError(error, shown)))
    socket.once('close', () => this.end(new OutboundError('connect', `${shown} closed the connection.`)))
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  async request<T>({ apiKey, apiVersion, fields, read }: KafkaRequest<T>): Promise<T> {
    if (this.#ended) throw this.#ended
    this.#correlation = (this.#correlation + 1) & 0x7fffffff
    const header = Buffer.concat([int16(apiKey), int16(apiVersion), int32(this.#correlation), string(clientId)])
    const answered = new Promise<Buffer>((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
    const length = fields.reduce((sum, part) => sum + part.length, header.length)
    // In one packet where it fits into one.
    this.#socket.cork()
    for (const part of [int32(length), header, ...fields]) this.#socket.write(part)
    this.#socket.uncork()
    const response = await answered
    try {
      const found = new Fields(response)
      if (found.int32() !== this.#correlation) throw new Error('the response of another request')
      return read(found)
    } catch (cause) {
      this.end(this.#wrong(cause))
      throw this.#ended
    }
  }

  ended(): OutboundError | undefined {
    return this.#ended
  }

  end(reason: OutboundError): void {
    this.#ended ??= reason
    this.#socket.destroy()
    this.#waiting?.reject(this.#ended)
    this.#waiting = undefined
  }

  /** Collects a response: its size, and as many bytes. */
  #take(chunk: Buffer): void {
    if (this.#ended) return
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < 4) return
    const first = this.#chunks[0]
    if (first === undefined || first.length < 4) this.#chunks = [Buffer.concat(this.#chunks)]
    const size = this.#chunks[0]?.readInt32BE() ?? 0
    // Also what is not this protocol at all: its first bytes are a large number.
    if (size < 4 || size > responseBytesMax || !this.#waiting) {
      this.end(this.#wrong(undefined))
    } else if (this.#bytes >= size + 4) {
      const whole = Buffer.concat(this.#chunks)
      const { resolve } = this.#waiting
      const rest = whole.subarray(size + 4)
      ;[this.#waiting, this.#chunks, this.#bytes] = [undefined, rest.length === 0 ? [] : [rest], rest.length]
      resolve(whole.subarray(4, size + 4))
    }
  }

  #wrong(cause: unknown): OutboundError {
    return new OutboundError('protocol', `${this.shown} does not answer like a Kafka broker.`, { cause })
  }
}
