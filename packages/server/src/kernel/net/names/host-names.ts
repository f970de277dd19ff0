import { isIP } from 'node:net'
import { textOf } from './search-names.ts'

/** An address that a name leads to. */
export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

const rereadMs = 5_000
const loopback: ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** Reads the names of a hosts file, in lower case. */
export function parseHosts(text: string): Map<string, ResolvedAddress[]> {
  const hosts = new Map<string, ResolvedAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/)
    const family = isIP(address)
    if (family !== 4 && family !== 6) continue
    for (const name of names) {
      const key = name.toLowerCase()
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }])
    }
  }
  return hosts
}

/**
 * Answers from the hosts file, which is read again every five seconds at most. `localhost` and names below it are
 * loopback even where the file does not list them (RFC 6761, 6.3).
 */
export function createHostNames(path = '/etc/hosts'): (hostname: string) => ResolvedAddress[] | undefined {
  let hosts = new Map<string, ResolvedAddress[]>()
  let readAt = Number.NEGATIVE_INFINITY
  return (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    if (performance.now() - readAt > rereadMs) {
      hosts = parseHosts(textOf(path))
      readAt = performance.now()
    }
    return hosts.get(name) ?? (name === 'localhost' || name.endsWith('.localhost') ? loopback : undefined)
  }
}
