import type { Socket } from 'node:net'
import { isIP } from 'node:net'
import { type ConnectionOptions, connect as secure, type TLSSocket } from 'node:tls'
import type { AddressGuard } from './address-guard.ts'
import { dial, shownHost } from './dial.ts'
import type { Names } from './names/name-resolver.ts'
import { unresolved } from './names/unresolved.ts'
import { asOutboundError, OutboundError } from './outbound-error.ts'
import { privateNetworkRemedy, type UrlRefusal } from './url-rules.ts'

/** A host that a user named, for a protocol other than HTTP. */
export interface GuardedHost {
  host: string
  port: number
  /**
   * Without TLS, only allowed private networks are reachable. `later`: the protocol starts it, and the
   * caller does so.
   */
  tls: boolean | 'later'
  guard: AddressGuard
  names: Names
  /** Project of the connection: lookups of uncached names are limited by project. */
  project: string
  /** For name resolution, connecting and the TLS handshake together, in milliseconds. */
  timeoutMs: number
  /** Destroys the socket, also once it is connected. */
  signal: AbortSignal
  /** Certificate authorities, PEM, in place of Node's own. */
  ca?: ConnectionOptions['ca']
}

/**
 * Opens a connection for a protocol other than HTTP, behind the address guard. Checks a literal address, every address
 * of a name, and the address of the connected socket. A name that changes its address therefore never leads to a
 * refused one. Close the socket within 30 seconds: it is not checked again.
 *
 * @throws OutboundError
 */
export async function openGuardedSocket(target: GuardedHost): Promise<Socket> {
  const { host, port, guard, names, project, timeoutMs, signal } = target
  const shown = shownHost(host, port)
  const until = performance.now() + timeoutMs
  const refusalOf = (address: string): UrlRefusal['code'] | undefined => {
    if (guard.refused(address)) return 'address'
    return target.tls !== false || guard.isAllowedPrivate(address) ? undefined : 'insecure_http'
  }
  const naming = isIP(host) === 0 ? unresolved(names, host, project) : undefined
  if (naming) await named(naming, { shown, timeoutMs, signal })
  const options = {
    host,
    port,
    lookup: names.lookup,
    signal,
    refusalOf,
    refused: (code: string) => refused(code, shown),
  }
  const socket = await dial({ ...options, timeoutMs: until - performance.now() })
  return target.tls === true ? await secured(socket, target, shown, until - performance.now()) : socket
}

/** Resolves a name, within the deadline and until the signal aborts. Its addresses are then in the resolver's cache. */
async function named(
  naming: () => Promise<unknown>,
  { shown, timeoutMs, signal }: { shown: string; timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(timeout(shown)), timeoutMs)
  const onAbort = () => reject(new OutboundError('aborted', `The connection to ${shown} was canceled.`))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    if (signal.aborted) onAbort()
    await Promise.race([naming(), promise])
  } catch (error) {
    throw asOutboundError(error, shown)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

async function secured(
  socket: Socket,
  { host, ca, signal }: GuardedHost,
  shown: string,
  leftMs: number,
): Promise<TLSSocket> {
  const tls = secure({ socket, host, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => tls.destroy(timeout(shown)), Math.max(leftMs, 1))
  tls.once('secureConnect', resolve)
  tls.on('error', reject)
  tls.once('close', () => reject(new OutboundError('connect', `${shown} closed the connection.`)))
  try {
    await promise
    return tls
  } catch (error) {
    tls.destroy()
    socket.destroy()
    if (signal.aborted) throw new OutboundError('aborted', `The connection to ${shown} was canceled.`, { cause: error })
    throw asOutboundError(error, shown)
  } finally {
    clearTimeout(timer)
  }
}

function timeout(shown: string): OutboundError {
  return new OutboundError('timeout', `${shown} did not accept a connection in time.`)
}

function refused(code: string, shown: string): OutboundError {
  const reason =
    code === 'insecure_http'
      ? `Without TLS, the connection to ${shown} can be read on the way.`
      : `${shown} is not at a public address.`
  return new OutboundError('refused_address', reason, { remedy: privateNetworkRemedy })
}
