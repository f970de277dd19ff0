import type { IncomingMessage } from 'node:http'
import { headerOf } from './header-names.ts'

/** Hosts whose name begins with one of these words serve what the others serve below the prefix of that name. */
const versioned = ['read', 'write', 'search']

/**
 * Brings a request that came to `read.…`, `write.…`, `search.…` or `proxy.…` below the prefix of that name (contract
 * 0.2), where the endpoints are declared. On the proxy's host every path is the provider's; on the others only `/v1`
 *   moves. A request that names the version of the proxy is one to the proxy, whatever its host.
 *
 * @param publicUrl its own host is never taken for one of these, though it may be called `search.example.com`
 */
export function hostRewriter(publicUrl: string): (request: IncomingMessage) => string {
  const ownHost = new URL(publicUrl).hostname
  // Most requests name the same host as the one before.
  let last = { named: '', word: '' }
  const firstWordOf = (named: string): string => {
    if (named !== last.named) last = { named, word: firstWord(named, ownHost) }
    return last.word
  }
  return ({ url = '/', headers }) => {
    if (!url.startsWith('/')) return url
    const word = firstWordOf(headers.host ?? '')
    if (word === 'proxy') return `/proxy${url}`
    if (headerOf(headers, 'x-mortise-proxy-version') !== undefined)
      return url.startsWith('/proxy/') ? url : `/proxy${url}`
    return url.startsWith('/v1/') && versioned.includes(word) ? `/${word}${url}` : url
  }
}

/** Returns the first word of a name of several; empty for the service's own host. */
function firstWord(named: string, ownHost: string): string {
  const host = /^[^:]*/.exec(named)?.[0].toLowerCase() ?? ''
  return host === ownHost ? '' : host.slice(0, Math.max(0, host.indexOf('.')))
}
