import type { LookupFunction, Socket } from 'node:net'
import { isIP } from 'node:net'
import { type ConnectionOptions, connect as secure, type TLSSocket } from 'node:tls'
import type { AddressGuard } from './address-guard.ts'
import { dial, shownHost } from './dial.ts'
import { guardedLookup } from './guarded-agent.ts'
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
  const { host, port, timeoutMs } = target
  const shown = shownHost(host, port)
  const until = performance.now() + timeoutMs
  await resolveFirst(target)
  const options = {
    host,
    port,
    lookup: target.names.lookup,
    signal: target.signal,
    refusalOf: refusalIn(target),
    refused: (code: string) => refused(code, shown),
  }
  const socket = await dial({ ...options, timeoutMs: until - performance.now() })
  return target.tls === true ? await startTls(socket, { ...target, timeoutMs: until - performance.now() }) : socket
}

/** What `connect` of `node:net` and `node:tls` needs to stay behind the address guard. */
export interface GuardedDial {
  lookup: LookupFunction
  /** Destroys the socket, also once it is connected. */
  signal: AbortSignal
}

/**
 * Prepares a connection for a client library that opens its socket and takes no open one. Checks
 * a literal address, and resolves a name. The client must connect to this host with the options returned here: they
 * check every address of the name again at that moment.
 *
 * @throws OutboundError
 */
export async function guardDial(target: Omit<GuardedHost, 'ca'>): Promise<GuardedDial> {
  const { host, port, names, signal } = target
  const refusalOf = refusalIn(target)
  const literal = isIP(host) === 0 ? undefined : refusalOf(host)
  if (literal !== undefined) throw refused(literal, shownHost(host, port))
  await resolveFirst(target)
  return { lookup: guardedLookup(names.lookup, refusalOf), signal }
}

/** Returns why an address may not be reached, with or without TLS. */
function refusalIn({ guard, tls }: Pick<GuardedHost, 'guard' | 'tls'>) {
  return (address: string): UrlRefusal['code'] | undefined => {
    if (guard.refused(address)) return 'address'
    return tls !== false || guard.isAllowedPrivate(address) ? undefined : 'insecure_http'
  }
}

/** Resolves a name that is not in the cache of the resolver, within the limits of the project. */
async function resolveFirst({ host, port, names, project, timeoutMs, signal }: Omit<GuardedHost, 'ca'>): Promise<void> {
  const naming = isIP(host) === 0 ? unresolved(names, host, project) : undefined
  if (naming) await named(naming, { shown: shownHost(host, port), timeoutMs, signal })
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

/**
 * Starts TLS on an open connection, for protocols that start without it. The certificate must be valid for the host.
 *
 * @throws OutboundError
 */
export async function startTls(
  socket: Socket,
  { host, port, ca, signal, timeoutMs }: Pick<GuardedHost, 'host' | 'port' | 'ca' | 'signal' | 'timeoutMs'>,
): Promise<TLSSocket> {
  const shown = shownHost(host, port)
  const tls = secure({ socket, host, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => tls.destroy(timeout(shown)), Math.max(timeoutMs, 1))
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
