import type { Readable } from 'node:stream'
import { OutboundError } from './outbound-error.ts'

/** A request to one origin. */
export type Hop = {
  url: URL
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | Readable | undefined
}

/** Headers that another origin may receive: all others may be, or contain, a credential. */
const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent'])

/**
 * Returns the request that a redirect leads to (RFC 9110 15.4), or `undefined` when the response is not a redirect that
 * can be followed. It does not check the address of the next hop.
 *
 * @throws OutboundError `protocol` for a redirect that must not be followed: from https to http, or one that would
 *   repeat a body at another origin or send a stream twice
 */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined
  const url = URL.parse(location, hop.url.href)
  if (url === null) throw new OutboundError('protocol', `${hop.url.host} redirects to what is not a URL.`)
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new OutboundError('protocol', `${hop.url.host} redirects from https to http.`)
  }
  const asGet = (status === 303 && hop.method !== 'HEAD') || (status <= 302 && hop.method === 'POST')
  const sameOrigin = url.origin === hop.url.origin
  if (!asGet && hop.body !== undefined && (!sameOrigin || !isRepeatable(hop.body))) {
    throw new OutboundError('protocol', `${hop.url.host} redirects a request whose body cannot be sent again.`)
  }
  const headers: Record<string, string> = Object.create(null)
  for (const name in hop.headers) {
    const dropped = asGet && name.startsWith('content-')
    const value = hop.headers[name]
    if ((sameOrigin || harmless.has(name)) && !dropped && value !== undefined) headers[name] = value
  }
  return { url, method: asGet ? 'GET' : hop.method, headers, body: asGet ? undefined : hop.body }
}

function isRepeatable(body: NonNullable<Hop['body']>): boolean {
  return typeof body === 'string' || body instanceof Uint8Array
}
