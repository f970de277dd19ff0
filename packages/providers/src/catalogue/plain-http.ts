import { BlockList, isIPv4, isIPv6 } from 'node:net'

const variable = /\{\{[^{}]*\}\}/

/** Networks that nobody else's host is in. Link-local addresses (metadata services) are deliberately absent. */
const ownNetworks = new BlockList()
ownNetworks.addSubnet('127.0.0.0', 8, 'ipv4')
ownNetworks.addSubnet('10.0.0.0', 8, 'ipv4')
ownNetworks.addSubnet('172.16.0.0', 12, 'ipv4')
ownNetworks.addSubnet('192.168.0.0', 16, 'ipv4')
ownNetworks.addAddress('::1', 'ipv6')
ownNetworks.addSubnet('fc00::', 7, 'ipv6')

/** Names that the public DNS never answers (RFC 6761, RFC 6762, RFC 9476 and ICANN's `internal`). */
const ownNames = /(?:^|\.)(?:localhost|local|internal|test)$/

/**
 * Returns whether a URL template would send a credential unencrypted to a host of the internet. A host that a variable
 * completes counts as public, whatever its value. Only loopback, private networks and local names may be plain `http`.
 */
export function isPublicHttp(template: string): boolean {
  if (!template.startsWith('http://')) return false
  const authority = /^http:\/\/([^/?#]*)/.exec(template)?.[1] ?? ''
  const host = authority
    .replace(/:(?:\d+|\{\{[^{}]*\}\})$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  if (isIPv4(host)) return !ownNetworks.check(host, 'ipv4')
  if (isIPv6(host)) return !ownNetworks.check(host, 'ipv6')
  if (ownNames.test(host)) return false
  return variable.test(host) || host.includes('.')
}
