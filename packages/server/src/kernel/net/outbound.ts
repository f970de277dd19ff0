import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type { Agent } from 'undici'
import type { AddressGuard } from './address-guard.ts'
import { type Answer, collectAnswer } from './collect-answer.ts'
import { exchange, type Receiver } from './exchange.ts'
import { framingHeaders } from './framing-headers.ts'
import { type ClientCertificate, createGuardedAgent } from './guarded-agent.ts'
import { createNameResolver, type Names } from './names/name-resolver.ts'
import { unresolved } from './names/unresolved.ts'
import { asOutboundError, OutboundError } from './outbound-error.ts'
import { nextHop } from './redirect.ts'
import { type StreamedAnswer, streamAnswer } from './stream-answer.ts'
import { bareHost, type HttpRule } from './url-rules.ts'

export type StreamOptions = {
  method: string
  /** Absolute URL, https or http; without user name and password. */
  url: string | URL
  /** Names in any case. Headers that frame the message (`host`, `connection`, `transfer-encoding`, …) are refused. */
  headers?: Record<string, string>
  body?: string | Uint8Array | Readable
  /** One deadline for name resolution, waiting for a connection, connecting, headers, body and every redirect. */
  timeoutMs: number
  /** Maximum size of the body in bytes, after decompression. */
  maxBytes: number
  signal?: AbortSignal
  /** Project of the request: lookups of uncached names are limited by project. */
  project?: string | undefined
  /** Where plain http is permitted. Default `private-only`: in the private networks that the operator allowed. */
  allowHttp?: HttpRule
  /**
   * Maximum number of redirects, default 0: a 3xx is then a normal response. Each hop is checked again; another origin
   * receives only harmless headers, and no body.
   */
  redirects?: number
}

export type RequestOptions = StreamOptions & {
  /** A larger body is an error (`too_large`, the default), or is cut and marked `truncated`. */
  tooLarge?: 'truncate' | 'error'
  /**
   * Default true. False: the response counts once its headers have arrived. A body that then breaks off, never ends or
   * is too large is cut, and is never an error. The deadline still ends the wait.
   */
  bodyWanted?: boolean
}

export type OutboundResponse = {
  status: number
  /** Names in lower case; repeated headers are joined by `, `, `set-cookie` by line breaks. Without a prototype. */
  headers: Record<string, string>
  body: Buffer
  truncated: boolean
  /** URL of the response: differs from the request's after redirects. */
  url: string
}

export type OutboundStream = Omit<OutboundResponse, 'body' | 'truncated'> & {
  /** Fails with an `OutboundError`; destroying it closes the connection. The caller must read or destroy it. */
  body: Readable
}

/** Outbound HTTP: no other module opens a connection to an address that a user or a provider named. */
export type Outbound = {
  /** Sends a request and returns the complete response. @throws OutboundError */
  request(options: RequestOptions): Promise<OutboundResponse>
  /** Sends a request and streams the body of the response. @throws OutboundError */
  stream(options: StreamOptions): Promise<OutboundStream>
  /** Cancels pending requests and closes every connection. Later requests fail as `aborted`. */
  close(): Promise<void>
}

export type OutboundSettings = {
  guard: AddressGuard
  /** Default User-Agent. */
  userAgent: string
  /** Maximum number of connections per origin; further requests wait within their deadline. Default 64. */
  connections?: number
  /** A connection that takes longer fails as `timeout`, even when the deadline is later. Default 5,000. */
  connectTimeoutMs?: number
  /** Maximum size of the response headers in bytes. Default 32 KiB. */
  headerBytesMax?: number
  /** Resolves names. Default: a separate resolver that uses the system's servers. */
  names?: Names
  /** Resolves names for sockets in place of `names`. Tests use it for a name that changes its address. */
  lookup?: LookupFunction
  /** Certificate authorities, PEM, in place of Node's own. */
  ca?: ConnectionOptions['ca']
  /** Certificate of this client, for servers that ask for one. */
  client?: ClientCertificate
}

/**
 * Creates a client with separate pools. Make one per purpose, so that one purpose cannot use up another's connections.
 */
export function createOutbound(settings: OutboundSettings): Outbound {
  const { guard, userAgent, names = createNameResolver() } = settings
  // An open connection is not checked again, so the two rules must not share connections.
  const agents = new Map<HttpRule, Agent>()
  let closed = false
  const agentFor = (allowHttp: HttpRule): Agent => {
    let agent = agents.get(allowHttp)
    if (agent === undefined) {
      const { connections = 64, connectTimeoutMs = 5_000, headerBytesMax = 32_768, ca, client } = settings
      const { lookup = names.lookup } = settings
      agent = createGuardedAgent({
        guard,
        allowHttp,
        connections,
        connectTimeoutMs,
        headerBytesMax,
        lookup,
        ca,
        client,
      })
      agents.set(allowHttp, agent)
    }
    return agent
  }

  /** Follows redirects around a single exchange. `receive` creates the receiver of one hop. */
  const follow = async <A extends { status: number; headers: Record<string, string> }>(
    options: StreamOptions,
    receive: (
      host: string,
      method: string,
      resolve: (answer: A) => void,
      reject: (error: OutboundError) => void,
    ) => Receiver,
    discard: (answer: A) => void,
  ): Promise<A & { url: string }> => {
    const { allowHttp = 'private-only', redirects = 0, timeoutMs, signal } = options
    const deadline = redirects > 0 ? performance.now() + timeoutMs : 0
    let hop = {
      url: validatedUrl(guard, options.url, allowHttp),
      method: options.method,
      headers: withDefaults(options.headers, userAgent),
      body: options.body,
    }
    for (let followed = 0; ; followed++) {
      if (closed) throw new OutboundError('aborted', 'The service is stopping.')
      const { url, method } = hop
      const left = followed === 0 ? timeoutMs : deadline - performance.now()
      const naming = settings.lookup ? undefined : unresolved(names, bareHost(url), options.project)
      const answer = await new Promise<A>((resolve, reject) => {
        const wire = { ...hop, dispatcher: agentFor(allowHttp), resolve: naming, timeoutMs: left, signal }
        exchange(wire, receive(url.host, method, resolve, reject))
      })
      const next = redirects > 0 ? nextHop(hop, answer.status, answer.headers['location']) : undefined
      if (next === undefined) return { ...answer, url: url.href }
      discard(answer)
      if (followed === redirects)
        throw new OutboundError('protocol', `${url.host} redirects more than ${redirects} times.`)
      validatedUrl(guard, next.url, allowHttp)
      hop = next
    }
  }

  return {
    request: (options) =>
      follow<Answer>(
        options,
        (host, _, resolve, reject) => {
          const { maxBytes, tooLarge = 'error', bodyWanted = true } = options
          return collectAnswer({ host, maxBytes, tooLarge, bodyWanted }, resolve, reject)
        },
        () => undefined,
      ),
    stream: (options) =>
      follow<StreamedAnswer>(
        options,
        (host, method, resolve, reject) =>
          streamAnswer({ host, maxBytes: options.maxBytes, decompress: method !== 'HEAD' }, resolve, reject),
        (answer) => answer.body.destroy(),
      ),
    close: async () => {
      closed = true
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}

function validatedUrl(guard: AddressGuard, url: string | URL, allowHttp: HttpRule): URL {
  try {
    return guard.assertUrlAllowed(url, { allowHttp })
  } catch (error) {
    throw asOutboundError(error, '')
  }
}

function withDefaults(headers: Record<string, string> | undefined, userAgent: string): Record<string, string> {
  const sent: Record<string, string> = Object.create(null)
  sent['user-agent'] = userAgent
  // Compressed responses are decoded anyway.
  sent['accept-encoding'] = 'identity'
  for (const name in headers) {
    const lower = name.toLowerCase()
    if (framingHeaders.has(lower)) throw new OutboundError('protocol', `The header "${lower}" cannot be set.`)
    const value = headers[name]
    if (value !== undefined) sent[lower] = value
  }
  return sent
}
