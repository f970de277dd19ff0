import { isIP, type LookupFunction } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { Agent, buildConnector, Pool } from 'undici'
import type { AddressGuard } from './address-guard.ts'
import { agingClient } from './aging-client.ts'
import {
  bareHost,
  type HttpRule,
  insecureHttp,
  privateNetworkRemedy,
  type UrlRefusal,
  UrlRefused,
} from './url-rules.ts'

/** How connections are opened and kept alive. */
export type AgentOptions = {
  guard: AddressGuard
  allowHttp: HttpRule
  /** Maximum number of connections per origin; further requests wait within their deadline. */
  connections: number
  connectTimeoutMs: number
  /** Maximum number of response header bytes, including trailers and informational responses. */
  headerBytesMax: number
  /** Resolves names, with the signature of `dns.lookup`. */
  lookup: LookupFunction
  /** Certificate authorities, PEM, in addition to Node's own. */
  ca?: ConnectionOptions['ca'] | undefined
  /** Certificate and key of the client, PEM, for servers that ask for one. */
  client?: ClientCertificate | undefined
}

export interface ClientCertificate {
  cert: string
  key: string
}

const keepAliveMs = 4_000
const connectionAgeMaxMs = 30_000

/**
 * Creates a pool of connections that never connects to a refused address. Each new connection is checked three times:
 *
 * - A literal address is checked before connecting, because `lookup` is never called for it.
 * - Every address of a name is checked. Refused ones are dropped, so the socket can only connect to a checked address.
 * - The address of the connected socket is checked.
 *
 * An open connection is not checked again, so none is kept idle or used for longer than 30 s. Proxy settings of the
 * environment are ignored.
 */
export function createGuardedAgent(options: AgentOptions): Agent {
  const { guard, allowHttp } = options
  const refusalOf = (address: string, protocol: string): UrlRefusal['code'] | undefined => {
    if (guard.refused(address)) return 'address'
    return protocol === 'http:' && allowHttp !== true && !guard.isAllowedPrivate(address) ? 'insecure_http' : undefined
  }
  const connectorFor = (protocol: string) =>
    buildConnector({
      timeout: options.connectTimeoutMs,
      allowH2: false,
      autoSelectFamily: true,
      ...(options.ca !== undefined && { ca: options.ca }),
      ...options.client,
      lookup: guardedLookup(options.lookup, (address) => refusalOf(address, protocol)),
    })
  const connectors = { 'http:': connectorFor('http:'), 'https:': connectorFor('https:') }

  const connect: buildConnector.connector = (target, callback) => {
    const host = bareHost(target)
    const protocol = target.protocol === 'http:' ? 'http:' : 'https:'
    const literal = isIP(host) === 0 ? undefined : refusalOf(host, protocol)
    if (literal !== undefined) return callback(new UrlRefused(refusal(literal, host)), null)
    connectors[protocol](target, (error, socket) => {
      if (error !== null) return callback(error, null)
      const verdict = refusalOf(socket.remoteAddress ?? '', protocol)
      if (verdict === undefined) return callback(null, socket)
      socket.destroy()
      callback(new UrlRefused(refusal(verdict, host)), null)
    })
  }
  const poolOptions: Pool.Options = {
    // Not an option of the agent, which would build another key of the pool from it for each request.
    allowH2: false,
    factory: (origin, client) => agingClient(origin, client, connect, connectionAgeMaxMs),
  }

  return new Agent({
    connections: options.connections,
    pipelining: 1,
    factory: (origin, pool) => new Pool(origin, { ...pool, ...poolOptions }),
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: connectionAgeMaxMs,
    maxHeaderSize: options.headerBytesMax,
    // The exchange has one deadline for all phases.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Returns a refusal that names the host as the caller wrote it, because addresses inside a network must not leak. */
function refusal(code: UrlRefusal['code'], host: string): UrlRefusal {
  if (code === 'insecure_http') return insecureHttp(host)
  return { code, reason: `The host ${host} is not at a public address.`, remedy: privateNetworkRemedy }
}

/** Drops refused addresses; a name without other addresses fails with `UrlRefused`. */
export function guardedLookup(
  lookup: LookupFunction,
  refusalOf: (address: string) => UrlRefusal['code'] | undefined,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found
      const passed = addresses.filter(({ address }) => refusalOf(address) === undefined)
      const [first] = passed
      if (first === undefined) {
        const code = addresses[0] === undefined ? 'address' : (refusalOf(addresses[0].address) ?? 'address')
        return callback(new UrlRefused(refusal(code, hostname)), [])
      }
      if (options.all === true) return callback(null, passed)
      callback(null, first.address, first.family)
    })
  }
}
