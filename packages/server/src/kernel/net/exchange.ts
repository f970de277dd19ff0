import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { asOutboundError, OutboundError } from './outbound-error.ts'

/** Receives one response. After `end` or `fail`, no method is called. */
export type Receiver = {
  headers(status: number, headers: Record<string, string>, flow: Flow): void
  data(chunk: Buffer): void
  end(): void
  fail(error: OutboundError): void
}

/** Controls the flow of a response to its receiver. */
export type Flow = {
  pause(): void
  resume(): void
  /** Closes the connection; neither `end` nor `fail` follows. */
  stop(): void
  /** Fails the exchange: `fail` is called with the error. */
  abort(error: OutboundError): void
}

/** One HTTP request to send. */
export type Wire = {
  dispatcher: Dispatcher
  method: string
  url: URL
  headers: Record<string, string>
  body: string | Uint8Array | Readable | undefined
  /**
   * Resolves the name of the host when its addresses are not cached.
   * @throws OutboundError, or what `asOutboundError` converts
   */
  resolve?: (() => Promise<unknown>) | undefined
  /** Remaining time of the one deadline. */
  timeoutMs: number
  signal: AbortSignal | undefined
}

/** Maximum number of informational responses (1xx) before the final one; beyond it, the connection is closed. */
const informationalMax = 16

/**
 * Sends one request and passes its response to a receiver. One timer covers name resolution, connecting, waiting for a
 * free connection, headers and body. When it fires, the exchange ends immediately, whatever the client is doing then.
 */
export function exchange(wire: Wire, receiver: Receiver): void {
  const { url, signal } = wire
  let controller: Dispatcher.DispatchController | undefined
  let over = false
  let informational = 0

  const finish = () => {
    over = true
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
  const cut = (reason: Error) => {
    controller?.abort(reason)
    if (isStream(wire.body)) wire.body.destroy()
  }
  const fail = (error: OutboundError) => {
    if (over) return
    finish()
    cut(error)
    receiver.fail(error)
  }
  const onAbort = () =>
    fail(new OutboundError('aborted', `The request to ${url.host} was canceled.`, { cause: signal?.reason }))
  const timer = setTimeout(
    () => fail(new OutboundError('timeout', `${url.host} did not answer completely in time.`)),
    Math.max(0, wire.timeoutMs),
  )
  const flow: Flow = {
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
    stop: () => {
      if (over) return
      finish()
      cut(new Error('the rest of the answer is not wanted'))
    },
    abort: fail,
  }
  if (signal?.aborted === true) {
    onAbort()
    return
  }
  signal?.addEventListener('abort', onAbort, { once: true })

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (started) => {
      controller = started
      if (over) started.abort(new Error('the exchange is over'))
    },
    onResponseStart: (_, status, headers) => {
      if (over) return
      if (status >= 200) return receiver.headers(status, plainHeaders(headers), flow)
      if (++informational > informationalMax) {
        fail(new OutboundError('protocol', `${url.host} sent too many interim answers.`))
      }
    },
    onResponseData: (_, chunk) => {
      if (!over) receiver.data(chunk)
    },
    onResponseEnd: () => {
      if (over) return
      finish()
      receiver.end()
    },
    onResponseError: (_, error) => fail(asOutboundError(error, url.host)),
  }
  const { origin, pathname, search } = url
  const { method, headers, body } = wire
  const dispatch = () => {
    if (over) return
    try {
      wire.dispatcher.dispatch({ origin, path: pathname + search, method, headers, body: body ?? null }, handler)
    } catch (error) {
      fail(asOutboundError(error, url.host))
    }
  }
  if (wire.resolve) wire.resolve().then(dispatch, (error: unknown) => fail(asOutboundError(error, url.host)))
  else dispatch()
}

function isStream(body: Wire['body']): body is Readable {
  return typeof body === 'object' && 'destroy' in body
}

/**
 * Joins repeated headers, as RFC 9110 5.3 does: by commas, but `set-cookie` by line breaks, because cookies contain
 * commas. The result has no prototype, because the server chooses the names.
 */
function plainHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = Object.create(null)
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    plain[name] = typeof value === 'string' ? value : value.join(name === 'set-cookie' ? '\n' : ', ')
  }
  return plain
}
