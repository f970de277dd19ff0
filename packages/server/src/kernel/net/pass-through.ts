import type { Readable } from 'node:stream'
import type { Agent, Dispatcher } from 'undici'
import type { AddressGuard } from './address-guard.ts'
import { createGuardedAgent } from './guarded-agent.ts'
import { createNameResolver, type Names } from './names/name-resolver.ts'
import { unresolved } from './names/unresolved.ts'
import { asOutboundError, OutboundError } from './outbound-error.ts'
import { bareHost } from './url-rules.ts'
import { YoungGarbage } from './young-garbage.ts'

/**
 * A request that is passed on. Its caller vouches for headers and path: nothing is added but `Host` and the framing.
 */
export interface RelayedRequest {
  /** Scheme, host and port, judged by the guard beforehand. */
  origin: string
  /** Path and query, as they go out. */
  path: string
  method: string
  /** Names and values in turn, without those of the connection. */
  headers: string[]
  body: Buffer | Readable | null
  /** The project that the request is made for: look-ups of unknown names are limited by project. */
  project?: string
}

/** Takes in the answer as it comes. `end` or `fail` is the last that is called. */
export interface RelayReceiver {
  /** @param headers names and values in turn, as they came */
  head(status: number, headers: Buffer[]): void
  data(chunk: Buffer): void
  end(): void
  fail(error: OutboundError): void
}

/** How the taker steers what comes. */
export interface RelayFlow {
  pause(): void
  resume(): void
  /** Wants no more: the connection is closed, and the receiver is called no more. */
  stop(): void
}

export interface RelaySettings {
  guard: AddressGuard
  /** Resolves names. Default: a resolver of its own that asks the system's servers. */
  names?: Names
  /** Connections per origin at most; further requests wait. Default 512. */
  connections?: number
  /** For a free connection, and for a new one. Default 10,000. */
  connectTimeoutMs?: number
  /** From the end of the request to the head of the answer. Default 60,000. */
  headersTimeoutMs?: number
  /** Without a byte of the answer's body while the taker wants some. Default 300,000. */
  idleTimeoutMs?: number
}

/**
 * The way out for what is passed on as it is: one guarded pool, no body held, no limit of size or of the whole time.
 */
export interface OutboundRelay {
  send(request: RelayedRequest, receiver: RelayReceiver): RelayFlow
  close(): Promise<void>
}

/** Interim answers taken before the final one. */
const informationalMax = 16

export function createOutboundRelay(settings: RelaySettings): OutboundRelay {
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
      const naming = unresolved(names, bareHost(new URL(origin)), project)
      if (naming) naming().then(dispatch, (error: Error) => exchange.onResponseError(undefined, error))
      else dispatch()
      exchange.waitMax(connectTimeoutMs)
      return exchange
    },
    close: () => agent.destroy(),
  }
}

/** One request: the client's handler and the taker's flow in one object, for there is one of them for each call. */
class Exchange implements Dispatcher.DispatchHandler, RelayFlow {
  readonly #origin: string
  readonly #receiver: RelayReceiver
  readonly #garbage: YoungGarbage
  #timer: NodeJS.Timeout | undefined
  #controller: Dispatcher.DispatchController | undefined
  #over = false
  #informational = 0

  constructor(origin: string, receiver: RelayReceiver, garbage: YoungGarbage) {
    this.#origin = origin
    this.#garbage = garbage
    this.#receiver = receiver
  }

  /** Where a connection is free the request has begun by now, and waits for none. */
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
