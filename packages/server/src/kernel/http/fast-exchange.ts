import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Identity } from './caller.ts'
import type { EndpointReply, EndpointRequest } from './exchange.ts'

const jsonType = 'application/json; charset=utf-8'

/** A request of an endpoint on the fast path. */
export class FastRequest implements EndpointRequest {
  readonly raw: IncomingMessage
  readonly id: string
  readonly params: unknown
  readonly query = undefined
  readonly body: Buffer
  readonly identity: Identity
  plainBadRequests = false
  idempotencyClaim = undefined
  readonly log: FastifyBaseLogger

  constructor(
    raw: IncomingMessage,
    {
      id,
      params,
      body,
      identity,
      log,
    }: { id: string; params: object; body: Buffer; identity: Identity; log: FastifyBaseLogger },
  ) {
    this.raw = raw
    this.id = id
    this.params = params
    this.body = body
    this.identity = identity
    this.log = log
  }

  get method() {
    return this.raw.method ?? ''
  }

  get socket() {
    return this.raw.socket
  }

  get headers() {
    return this.raw.headers
  }

  get originalUrl() {
    return this.raw.url ?? ''
  }

  /** Only the framework knows which proxies to trust: an endpoint that needs the address is not on the fast path. */
  get ip(): never {
    throw new Error('An endpoint on the fast path has no address of the client.')
  }
}

/** The response of an endpoint on the fast path: JSON, or nothing. */
export class FastReply implements EndpointReply {
  readonly raw: ServerResponse
  readonly #serializers: ReadonlyMap<number, (value: object) => string>
  #status = 200
  /** Names and values in turn. */
  readonly #headers: string[] = []

  /** @param serializers by status */
  constructor(raw: ServerResponse, serializers: ReadonlyMap<number, (value: object) => string>) {
    this.raw = raw
    this.#serializers = serializers
  }

  code(status: number): this {
    this.#status = status
    return this
  }

  header(name: string, value: string): this {
    this.#headers.push(name, value)
    return this
  }

  headers(values: Record<string, string | string[]>): this {
    for (const [name, value] of Object.entries(values))
      for (const one of Array.isArray(value) ? value : [value]) this.header(name, one)
    return this
  }

  hasHeader(name: string): boolean {
    return this.#headers.some((one, index) => index % 2 === 0 && one.toLowerCase() === name)
  }

  type(mediaType: string): this {
    return this.header('content-type', mediaType)
  }

  send(body?: unknown): this {
    const headers = this.#headers
    if (body === undefined) {
      this.raw.writeHead(this.#status, headers).end()
      return this
    }
    const serialize = this.#serializers.get(this.#status)
    if (typeof body !== 'object' || body === null || !serialize)
      throw new Error(`The status ${this.#status} of an endpoint on the fast path has no such body.`)
    const text = serialize(body)
    headers.push('content-type', jsonType, 'content-length', String(Buffer.byteLength(text)))
    this.raw.writeHead(this.#status, headers).end(text)
    return this
  }
}
