import { BlockList } from 'node:net'

/**
 * Addresses of the two families, in separate lists. One `BlockList` with rules of both compares IPv4-mapped IPv6 rules
 * with plain IPv4 addresses, and `::ffff:0:0/96` would then match every IPv4 address.
 */
export type AddressSet = { v4: BlockList; v6: BlockList }

/** Returns the set of networks in CIDR notation. Throws on anything that is not a CIDR. */
export function addressSet(cidrs: readonly string[]): AddressSet {
  const set: AddressSet = { v4: new BlockList(), v6: new BlockList() }
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/')
    if (network.includes(':')) set.v6.addSubnet(network, Number(prefix), 'ipv6')
    else set.v4.addSubnet(network, Number(prefix), 'ipv4')
  }
  return set
}

/** Returns true when the set contains the address. `family` as `net.isIP` returns it. */
export function hasAddress(set: AddressSet, address: string, family: number): boolean {
  return family === 4 ? set.v4.check(address, 'ipv4') : set.v6.check(address, 'ipv6')
}

/**
 * IPv4 networks that are not the public Internet: the IANA IPv4 Special-Purpose Address Registry, multicast, and the
 * addresses on which clouds serve machine metadata.
 */
export const specialV4 = addressSet([
  '0.0.0.0/8', // This network, RFC 791; Linux connects 0.0.0.0 to itself.
  '10.0.0.0/8', // Private, RFC 1918.
  '100.64.0.0/10', // Shared address space, RFC 6598.
  '127.0.0.0/8', // Loopback.
  '168.63.129.16/32', // Azure's metadata and DNS.
  '169.254.0.0/16', // Link-local, RFC 3927: metadata of most clouds.
  '172.16.0.0/12', // Private.
  '192.0.0.0/24', // IETF protocol assignments; 192.0.0.192 is Oracle's metadata.
  '192.0.2.0/24', // Documentation.
  '192.31.196.0/24', // AS112-v4.
  '192.52.193.0/24', // AMT.
  '192.88.99.0/24', // 6to4 anycast, deprecated.
  '192.168.0.0/16', // Private.
  '192.175.48.0/24', // AS112 direct delegation.
  '198.18.0.0/15', // Benchmarking.
  '198.51.100.0/24', // Documentation.
  '203.0.113.0/24', // Documentation.
  '224.0.0.0/4', // Multicast.
  '240.0.0.0/4', // Reserved and broadcast.
])

/** The only part of IPv6 that is assigned as global unicast (RFC 4291, IANA). All other addresses are refused. */
export const globalV6 = addressSet(['2000::/3'])

/** Special networks inside `2000::/3` (IANA IPv6 Special-Purpose Address Registry). */
export const specialV6 = addressSet([
  '2001::/23', // IETF protocol assignments: Teredo, ORCHID, benchmarking, AMT, AS112
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4 carries an IPv4 address
  '2620:4f:8000::/48', // AS112 direct delegation
  '3fff::/20', // documentation
])

/**
 * Always refused, whatever the settings: link-local and metadata addresses, and the IPv6 forms that contain an IPv4
 * address, because they would be a second spelling of it.
 */
export const neverAllowed = addressSet([
  '169.254.0.0/16',
  '168.63.129.16/32',
  '100.100.100.200/32', // Alibaba's metadata
  '192.0.0.192/32',
  'fe80::/10',
  'fd00:ec2::/32', // AWS: metadata (::254), DNS (::253), credentials (::23)
  'fd20:ce::254/128', // Google's metadata
  '::ffff:0:0/96', // IPv4-mapped
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b::/96', // NAT64
  '64:ff9b:1::/48', // NAT64, local use
  '2001::/32', // Teredo
  '2002::/16', // 6to4
])

/** IPv4-compatible IPv6 (`::127.0.0.1`), deprecated. It also contains `::1` and `::`, which are checked first. */
export const compatibleV6 = addressSet(['::/96'])
