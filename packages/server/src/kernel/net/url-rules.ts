import { isIP } from 'node:net'

/**
 * Where plain `http` is permitted: `private-only` in the private networks that the operator allowed, `true` everywhere.
 */
export type HttpRule = 'private-only' | true

/** Why a URL is refused, for its author. Contains only the scheme, host and port of the URL. */
export type UrlRefusal = {
  code: 'invalid' | 'scheme' | 'userinfo' | 'port' | 'address' | 'insecure_http'
  /** One sentence: what is wrong. */
  reason: string
  /** One sentence: what to do. */
  remedy: string
}

/** The service does not connect to this URL. `message` contains the reason and the remedy, both fit for a user. */
export class UrlRefused extends Error {
  override name = 'UrlRefused'
  readonly refusal: UrlRefusal
  constructor(refusal: UrlRefusal) {
    super(`${refusal.reason} ${refusal.remedy}`)
    this.refusal = refusal
  }
}

/** Remedy for a refused address. */
export const privateNetworkRemedy =
  'Use a public address, or have the operator of this service add the network to MORTISE_ALLOW_PRIVATE_NETWORK ' +
  '("loopback" or a list of CIDRs; link-local and metadata addresses are never reached).'

/**
 * Ports from 1024 up whose usual services execute commands from a crafted HTTP request: databases, caches, brokers,
 * container engines, remote desktops. Below 1024, only 80 and 443 are allowed.
 */
const portsRefused = new Set([
  1433, 1434, 1521, 1723, 2049, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 4369, 5432, 5433, 5671, 5672, 5900, 5984,
  6000, 6379, 6380, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 9042, 9092, 9160, 9200, 9300, 10080, 10250, 10255,
  11211, 26379, 27017, 27018, 50070,
])

type Addresses = { refused(address: string): boolean; isAllowedPrivate(address: string): boolean }

/**
 * Returns the parsed URL, or why it is refused. WHATWG parsing comes first, so every spelling of an IPv4 address
 * (decimal, hex, octal, full-width) is checked in its one canonical form.
 */
export function checkUrl(input: string | URL, addresses: Addresses, allowHttp: HttpRule): URL | UrlRefusal {
  const url = typeof input === 'string' ? parsed(input) : input
  if (url === undefined) {
    return {
      code: 'invalid',
      reason: 'This is not a URL.',
      remedy: 'Give a full URL such as "https://example.com/path".',
    }
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return {
      code: 'scheme',
      reason: `The scheme "${url.protocol.slice(0, 32)}" is not supported.`,
      remedy: 'Use https.',
    }
  }
  if (url.username !== '' || url.password !== '') {
    const remedy = 'Remove the part before the "@" and send credentials as a header.'
    return { code: 'userinfo', reason: 'The URL holds a user name or password.', remedy }
  }
  const port = url.port === '' ? undefined : Number(url.port)
  if (port !== undefined && port !== 80 && port !== 443 && (port < 1024 || portsRefused.has(port))) {
    return {
      code: 'port',
      reason: `Port ${port} is not one for HTTP.`,
      remedy: 'Use 443, 80, or another port above 1023.',
    }
  }
  const host = bareHost(url)
  if (isIP(host) === 0) return url
  if (addresses.refused(host)) {
    return { code: 'address', reason: `The address ${host} is not a public one.`, remedy: privateNetworkRemedy }
  }
  if (url.protocol === 'http:' && allowHttp !== true && !addresses.isAllowedPrivate(host)) return insecureHttp(host)
  return url
}

/** Refuses plain `http` to a public host. */
export function insecureHttp(host: string): UrlRefusal {
  return { code: 'insecure_http', reason: `Plain http to ${host} can be read on the way.`, remedy: 'Use https.' }
}

/** Returns the host of a URL without the brackets of an IPv6 literal. */
export function bareHost(url: { hostname: string }): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
}

function parsed(input: string): URL | undefined {
  return URL.parse(input) ?? undefined
}
