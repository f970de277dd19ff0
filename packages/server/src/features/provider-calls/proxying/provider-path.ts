import { ProxyPathRefused } from './problems.ts'

const prefix = '/proxy'

/**
 * Returns the provider's path and query in a request to the proxy, byte for byte. It is appended to a fixed origin and
 * base path, so it cannot change the host. It still refuses what another parser could interpret as another host or
 * directory (`//evil`, `/\evil`, dot segments in any spelling, an absolute URL).
 *
 * @param url of the request, below `/proxy`
 * @throws ProxyPathRefused
 */
export function providerPath(url: string): string {
  if (!url.startsWith(`${prefix}/`)) throw new ProxyPathRefused({ detail: 'The path must begin with "/proxy/".' })
  const path = url.slice(prefix.length)
  if (path.charCodeAt(1) === slash) throw new ProxyPathRefused({ detail: 'The path must begin with one "/" only.' })
  let mayHaveDot = false
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at)
    if (code === dot || code === percent) mayHaveDot = true
    if (code <= 0x20 || code >= 0x7f || code === backslash || code === hash)
      throw new ProxyPathRefused({
        detail: 'The path holds a space, a control character, a backslash, a "#" or a character that is not ASCII.',
        remedy: 'Percent-encode it.',
      })
  }
  if (!mayHaveDot) return path
  const queryAt = path.indexOf('?')
  const pathname = queryAt < 0 ? path : path.slice(0, queryAt)
  if (/^\/(?:%2f|%5c)/i.test(pathname)) throw new ProxyPathRefused({ detail: 'The path begins with an encoded slash.' })
  if (pathname.split(separator).some((segment) => dotSegment.test(segment)))
    throw new ProxyPathRefused({ detail: 'The path holds a "." or ".." segment.' })
  return path
}

const slash = 0x2f
const backslash = 0x5c
const hash = 0x23
const dot = 0x2e
const percent = 0x25
/** Many servers decode `%2F` before they resolve dot segments, and some cut a segment at `;`. */
const separator = /\/|%2f|%5c|;|%3b/i
const dotSegment = /^(?:\.|%2e){1,2}$/i

/** Adds the query parameters of a credential, which replace the caller's. */
export function withQuery(path: string, added: Record<string, string>): string {
  const names = Object.keys(added)
  if (names.length === 0) return path
  const queryAt = path.indexOf('?')
  const pathname = queryAt < 0 ? path : path.slice(0, queryAt)
  const kept =
    queryAt < 0
      ? []
      : path
          .slice(queryAt + 1)
          .split('&')
          .filter((pair) => !names.includes(nameOf(pair)))
  const ours = names.map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(added[name] ?? '')}`)
  return `${pathname}?${[...kept, ...ours].join('&')}`
}

function nameOf(pair: string): string {
  const [name = ''] = pair.split('=', 1)
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}
