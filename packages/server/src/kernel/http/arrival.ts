import type { IncomingMessage, Server } from 'node:http'
import { Socket } from 'node:net'

/** A request that has not arrived after this time is given up. */
export const requestTimeoutMs = 60_000

/**
 * Gives a request up whose body has not arrived in time, as the server's own `requestTimeout` would: that one knows no
 * exception, and what is relayed may take as long as it flows.
 */
export function watchArrival(request: IncomingMessage, server: Pick<Server, 'emit'>, timeoutMs: number): void {
  const { headers, socket } = request
  // A request that came over no network is there whole, and has nobody to give up on.
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
