import { isIP, type LookupFunction } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import type { AddressGuard } from './address-guard.ts'
import {
  bareHost,
  type HttpRule,
  insecureHttp,
  privateNetworkRemedy,
  type UrlRefusal,
  UrlRefused,
} from './url-rules.ts'

/** How connections are made and kept. */
export type AgentOptions = {
  guard: AddressGuard
  allowHttp: HttpRule
  /** Connections per origin at most; requests beyond wait, within their own deadline. */
  connections: number
  connectTimeoutMs: number
  /** Response header bytes at most, trailers and informational answers included. */
  headerBytesMax: number
  /** Name resolution, `dns.lookup` in shape. */
  lookup: LookupFunction
  /** Further certificate authorities, PEM, beside Node's own. */
  ca?: ConnectionOptions['ca'] | undefined
}

const keepAliveMs = 4_000
const connectionAgeMaxMs = 30_000

/**
 * A pool of connections none of which leads to a refused address. Three checks per new connection: a literal address
 * before it is dialled (`lookup` is never called for those), every address a name resolves to (refused ones are
 * dropped, so the socket can only be dialled to a judged one), and the address of the connected socket.
 *
 * A kept connection is not judged again, so none is kept idle or used for longer than 30 s. Proxy settings of the
 * environment are not read.
 */
export function createGuardedAgent(options: AgentOptions): Agent {
  const { guard, allowHttp } = options
  const judge = (address: string, protocol: string): UrlRefusal['code'] | undefined => {
    if (guard.refused(address)) return 'address'
    return protocol === 'http:' && allowHttp !== true && !guard.isAllowedPrivate(address) ? 'insecure_http' : undefined
  }
  const connectorFor = (protocol: string) =>
    buildConnector({
      timeout: options.connectTimeoutMs,
      allowH2: false,
      autoSelectFamily: true,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      lookup: guardedLookup(options.lookup, (address) => judge(address, protocol)),
    })
  const connectors = { 'http:': connectorFor('http:'), 'https:': connectorFor('https:') }

  return new Agent({
    connections: options.connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: connectionAgeMaxMs,
    clientTtl: connectionAgeMaxMs,
    maxHeaderSize: options.headerBytesMax,
    // The exchange has one deadline of its own over all phases.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      const host = bareHost(target)
      const protocol = target.protocol === 'http:' ? 'http:' : 'https:'
      const literal = isIP(host) === 0 ? undefined : judge(host, protocol)
      if (literal !== undefined) return callback(new UrlRefused(refusal(literal, host)), null)
      connectors[protocol](target, (error, socket) => {
        if (error !== null) return callback(error, null)
        const verdict = judge(socket.remoteAddress ?? '', protocol)
        if (verdict === undefined) return callback(null, socket)
        socket.destroy()
        callback(new UrlRefused(refusal(verdict, host)), null)
      })
    },
  })
}

/** Speaks of the host as the caller wrote it: what a name resolves to inside a network is nobody's business outside. */
function refusal(code: UrlRefusal['code'], host: string): UrlRefusal {
  if (code === 'insecure_http') return insecureHttp(host)
  return { code, reason: `The host ${host} is not at a public address.`, remedy: privateNetworkRemedy }
}

/** Drops the addresses that may not be reached; a name without any other fails with `UrlRefused`. */
export function guardedLookup(
  lookup: LookupFunction,
  judge: (address: string) => UrlRefusal['code'] | undefined,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found
      const passed = addresses.filter(({ address }) => judge(address) === undefined)
      const [first] = passed
      if (first === undefined) {
        const code = addresses[0] === undefined ? 'address' : (judge(addresses[0].address) ?? 'address')
        return callback(new UrlRefused(refusal(code, hostname)), [])
      }
      if (options.all === true) return callback(null, passed)
      callback(null, first.address, first.family)
    })
  }
}
