import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import { LRUCache } from 'lru-cache'
import type { Agent, Dispatcher } from 'undici'
import { entriesAtMost } from '../entries-max.ts'
import type { AddressGuard } from './address-guard.ts'
import { createGuardedAgent } from './guarded-agent.ts'
import { createNameResolver, type Names } from './names/name-resolver.ts'
import { unresolved } from './names/unresolved.ts'
import { asOutboundError, OutboundError } from './outbound-error.ts'
import { bareHost } from './url-rules.ts'
import { YoungGarbage } from './young-garbage.ts'

/** A pass-through request. The caller is responsible for headers and path: only `Host` and the framing are added. */
export interface PassThroughRequest {
  /** Scheme, host and port; the caller has checked them with the guard. */
  origin: string
  /** Path and query, sent as they are. */
  path: string
  method: string
  /** Alternating names and values, without hop-by-hop headers. */
  headers: string[]
  body: Buffer | Readable | null
  /** Project of the request: lookups of uncached names are limited by project. */
  project?: string
}

/** Receives the response as it arrives. `end` or `fail` is the last call. */
export interface ResponseReceiver {
  /** @param headers alternating names and values, as they arrived */
  head(status: number, headers: Buffer[]): void
  data(chunk: Buffer): void
  end(): void
  fail(error: OutboundError): void
}

/** Controls the flow of the response. */
export interface FlowControl {
  pause(): void
  resume(): void
  /** Closes the connection; the receiver is not called again. */
  stop(): void
}

export interface PassThroughSettings {
  guard: AddressGuard
  /** Resolves names. Default: a separate resolver that uses the system's servers. */
  names?: Names
  /** Maximum number of connections per origin; further requests wait. Default 512. */
  connections?: number
  /** Timeout for a free connection, and for a new one. Default 10,000. */
  connectTimeoutMs?: number
  /** Timeout from the end of the request to the head of the response. Default 60,000. */
  headersTimeoutMs?: number
  /** Timeout without a byte of the response body while the receiver wants more. Default 300,000. */
  idleTimeoutMs?: number
}

/**
 * Outbound HTTP for pass-through requests: one guarded pool. Bodies are not buffered, and neither their size nor the
 * total time is limited.
 */
export interface OutboundPassThrough {
  send(request: PassThroughRequest, receiver: ResponseReceiver): FlowControl
  close(): Promise<void>
}

const originsMax = 10_000

/** Maximum number of interim responses before the final one. */
const informationalMax = 16

export function createOutboundPassThrough(settings: PassThroughSettings): OutboundPassThrough {
  const { guard, names = createNameResolver(), connections = 512, connectTimeoutMs = 10_000 } = settings
  const { headersTimeoutMs: headersTimeout = 60_000, idleTimeoutMs: bodyTimeout = 300_000 } = settings
  const agent: Agent = createGuardedAgent({
    guard,
    allowHttp: 'private-only',
    connections,
    connectTimeoutMs,
    headerBytesMax: 64 * 1024,
    lookup: names.lookup,
  })
  const garbage = new YoungGarbage()
  // Parsing a URL takes longer than looking it up. Origins are those of connections, which callers cannot choose.
  const hosts = new LRUCache<string, { host: string; isLiteral: boolean }>(entriesAtMost(originsMax))
  const hostOf = (origin: string) => {
    const known = hosts.get(origin)
    if (known !== undefined) return known
    const host = bareHost(new URL(origin))
    const found = { host, isLiteral: isIP(host) !== 0 }
    hosts.set(origin, found)
    return found
  }
  const waitForConnection = (exchange: Exchange) => exchange.waitMax(connectTimeoutMs)
  return {
    send({ origin, path, method, headers, body, project }, receiver) {
      const exchange = new Exchange(origin, receiver, garbage)
      const options = {
        origin,
        path,
        method: method as Dispatcher.HttpMethod,
        headers,
        body,
        headersTimeout,
        bodyTimeout,
      }
      const dispatch = () => {
        try {
          agent.dispatch(options, exchange)
        } catch (error) {
          exchange.onResponseError(undefined, error as Error)
        }
      }
      const { host, isLiteral } = hostOf(origin)
      const naming = isLiteral ? undefined : unresolved(names, host, project)
      if (naming) naming().then(dispatch, (error: Error) => exchange.onResponseError(undefined, error))
      else dispatch()
      // undici begins a request on a kept connection in a callback of this kind, too, which comes first. So most
      // requests need no timer.
      setImmediate(waitForConnection, exchange)
      return exchange
    },
    close: () => agent.destroy(),
  }
}

/** One request. The client's handler and the flow are one object, because every call needs both. */
class Exchange implements Dispatcher.DispatchHandler, FlowControl {
  readonly #origin: string
  readonly #receiver: ResponseReceiver
  readonly #garbage: YoungGarbage
  #timer: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | undefined
  #over = false
  #informational = 0

  constructor(origin: string, receiver: ResponseReceiver, garbage: YoungGarbage) {
    this.#origin = origin
    this.#garbage = garbage
    this.#receiver = receiver
  }

  /** Fails if no connection is free in time. A request that has begun has one. */
  waitMax(ms: number): void {
    if (this.#controller || this.#over) return
    this.#timer = setTimeout(() => {
      this.#fail(new OutboundError('timeout', `${this.#host} did not accept a connection in time.`))
    }, ms)
  }

  get #host(): string {
    return new URL(this.#origin).host
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    clearTimeout(this.#timer)
    this.#controller = controller
    if (this.#over) controller.abort(new Error('the exchange is over'))
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (this.#over) return
    if (status >= 200) this.#receiver.head(status, controller.rawHeaders as Buffer[])
    else if (++this.#informational > informationalMax)
      this.#fail(new OutboundError('protocol', `${this.#host} sent too many interim answers.`))
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return
    this.#garbage.add(chunk.length)
    this.#receiver.data(chunk)
  }

  onBodySent(chunk: Uint8Array): void {
    this.#garbage.add(chunk.length)
  }

  onResponseEnd(): void {
    if (this.#over) return
    this.#over = true
    this.#receiver.end()
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#fail(asOutboundError(error, this.#over ? '' : this.#host))
  }

  pause(): void {
    if (!this.#over) this.#controller?.pause()
  }

  resume(): void {
    if (!this.#over) this.#controller?.resume()
  }

  stop(): void {
    if (this.#over) return
    this.#over = true
    clearTimeout(this.#timer)
    this.#controller?.abort(new Error('the rest of the answer is not wanted'))
  }

  #fail(error: OutboundError): void {
    if (this.#over) return
    this.stop()
    this.#receiver.fail(error)
  }
}
