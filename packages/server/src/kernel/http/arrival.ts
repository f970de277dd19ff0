import type { IncomingMessage, Server } from 'node:http'
import { Socket } from 'node:net'

/** Time after which an incomplete request is aborted. */
export const requestTimeoutMs = 60_000

/**
 * Aborts a request whose body has not arrived in time, as the server's `requestTimeout` would. That setting has no
 * exceptions, and pass-through requests may take as long as data flows.
 */
export function watchArrival(request: IncomingMessage, server: Pick<Server, 'emit'>, timeoutMs: number): void {
  const { headers, socket } = request
  // A request without a network connection is complete, and has no socket to close.
  if (!(socket instanceof Socket) || request.complete || request.destroyed) return
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') return
  const timer = setTimeout(() => {
    if (request.complete || request.destroyed) return
    const late = Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    server.emit('clientError', late, socket)
  }, timeoutMs)
  timer.unref()
  const arrived = () => clearTimeout(timer)
  request.once('end', arrived)
  request.once('close', arrived)
}
