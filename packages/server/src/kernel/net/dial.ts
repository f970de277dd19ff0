import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { guardedLookup } from './guarded-agent.ts'
import { asOutboundError, OutboundError } from './outbound-error.ts'
import { type UrlRefusal, UrlRefused } from './url-rules.ts'

export interface DialOptions {
  host: string
  port: number
  lookup: LookupFunction
  /** For resolving the name and connecting, in milliseconds. */
  timeoutMs: number
  /** Destroys the socket, also when it is connected. */
  signal: AbortSignal
  /** Why an address may not be reached; undefined when it may. */
  refusalOf(address: string): UrlRefusal['code'] | undefined
  /** What is thrown for an address that may not be reached. */
  refused(code: UrlRefusal['code']): OutboundError
}

/** Shows host and port as a URL has them. */
export function shownHost(host: string, port: number): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/**
 * Opens a TCP connection. Checks a literal address, every address of a name, and the address of the connected socket.
 *
 * @throws OutboundError
 */
export async function dial({
  host,
  port,
  lookup,
  timeoutMs,
  signal,
  refusalOf,
  refused,
}: DialOptions): Promise<Socket> {
  const shown = shownHost(host, port)
  if (signal.aborted) throw new OutboundError('aborted', `The connection to ${shown} was canceled.`)
  const literal = isIP(host) === 0 ? undefined : refusalOf(host)
  if (literal !== undefined) throw refused(literal)
  const socket = connect({
    ...{ host, port, signal, autoSelectFamily: true, lookup: guardedLookup(lookup, refusalOf) },
    // Protocols wait for replies: a small packet must not wait until the one before it is acknowledged.
    noDelay: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const late = new OutboundError('timeout', `${shown} did not accept a connection in time.`)
  const timer = setTimeout(() => socket.destroy(late), Math.max(timeoutMs, 1))
  socket.once('connect', resolve)
  socket.on('error', reject)
  try {
    await promise
  } catch (error) {
    if (error instanceof UrlRefused) throw refused(error.refusal.code)
    if (signal.aborted) throw new OutboundError('aborted', `The connection to ${shown} was canceled.`, { cause: error })
    throw asOutboundError(error, shown)
  } finally {
    clearTimeout(timer)
  }
  const verdict = refusalOf(socket.remoteAddress ?? '')
  if (verdict === undefined) return socket
  socket.destroy()
  throw refused(verdict)
}
