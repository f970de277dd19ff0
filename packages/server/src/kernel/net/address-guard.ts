import { isIP, isIPv4, isIPv6 } from 'node:net'
import {
  type AddressSet,
  addressSet,
  compatibleV6,
  globalV6,
  hasAddress,
  neverAllowed,
  specialV4,
  specialV6,
} from './special-addresses.ts'
import { checkUrl, type HttpRule, type UrlRefusal, UrlRefused } from './url-rules.ts'

/** Private networks that the operator allowed, as `parseAllowedNetworks` returns them. */
export type AllowedNetworks = { readonly cidrs: readonly string[]; readonly set: AddressSet }

/** The setting MORTISE_ALLOW_PRIVATE_NETWORK is invalid. The message says which part, and what is expected. */
export class AllowedNetworksInvalid extends Error {
  override name = 'AllowedNetworksInvalid'
}

const loopback = ['127.0.0.0/8', '::1/128']

/**
 * Parses the setting MORTISE_ALLOW_PRIVATE_NETWORK.
 *
 * @param setting empty, `loopback`, a comma-separated list of CIDRs, or both: `loopback, 10.0.0.0/8, fd12::/16`
 * @throws AllowedNetworksInvalid
 */
export function parseAllowedNetworks(setting: string): AllowedNetworks {
  const parts = setting
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const cidrs = parts.flatMap((part) => (part === 'loopback' ? loopback : [checkedCidr(part)]))
  return { cidrs, set: addressSet(cidrs) }
}

function checkedCidr(text: string): string {
  const [, network = '', prefix = ''] = /^([0-9a-f:.]+)\/(\d{1,3})$/i.exec(text) ?? []
  const prefixMax = isIPv4(network) ? 32 : isIPv6(network) ? 128 : -1
  if (prefix === '' || Number(prefix) > prefixMax) {
    throw new AllowedNetworksInvalid(
      `MORTISE_ALLOW_PRIVATE_NETWORK: "${text}" is neither "loopback" nor a network such as "10.0.0.0/8" or "fd12:3456::/32".`,
    )
  }
  return `${network}/${Number(prefix)}`
}

/** Decides which addresses and URLs the service may connect to. */
export type AddressGuard = {
  /** Networks that the operator allowed, for the log. */
  readonly allowed: AllowedNetworks
  /** Returns true when the service must not connect to the address, or when the text is not an IP address. */
  refused(address: string): boolean
  /** Returns true when the address is in an allowed private network, where plain `http` is permitted. */
  isAllowedPrivate(address: string): boolean
  /**
   * Checks what a URL shows before its name is resolved: scheme, userinfo, port, literal address. The addresses of a
   * name are checked when the connection is made.
   *
   * @returns why it is refused, with a sentence and a remedy for a user, or `undefined`
   */
  checkUrl(url: string | URL, options?: { allowHttp?: HttpRule }): UrlRefusal | undefined
  /** Checks a URL and returns it parsed. @throws UrlRefused */
  assertUrlAllowed(url: string | URL, options?: { allowHttp?: HttpRule }): URL
}

/** @param options.allow private networks that may be reached, as `parseAllowedNetworks` returns them */
export function createAddressGuard({ allow }: { allow: AllowedNetworks }): AddressGuard {
  const isAllowedPrivate = (address: string) => {
    const family = isIP(address)
    return family !== 0 && !isNever(address, family) && hasAddress(allow.set, address, family)
  }
  const refused = (address: string) => !isPublic(address) && !isAllowedPrivate(address)
  const guard: AddressGuard = {
    allowed: allow,
    refused,
    isAllowedPrivate,
    checkUrl: (url, options) => {
      const checked = checkUrl(url, guard, options?.allowHttp ?? 'private-only')
      return checked instanceof URL ? undefined : checked
    },
    assertUrlAllowed: (url, options) => {
      const checked = checkUrl(url, guard, options?.allowHttp ?? 'private-only')
      if (checked instanceof URL) return checked
      throw new UrlRefused(checked)
    },
  }
  return guard
}

function isPublic(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !hasAddress(specialV4, address, 4)
  if (family !== 6 || address.includes('%')) return false
  return hasAddress(globalV6, address, 6) && !hasAddress(specialV6, address, 6)
}

/** A zone (`fe80::1%eth0`) is only valid for link-local addresses, and `BlockList` does not parse it. */
function isNever(address: string, family: number): boolean {
  if (address.includes('%') || hasAddress(neverAllowed, address, family)) return true
  return family === 6 && hasAddress(compatibleV6, address, 6) && !selves.v6.check(address, 'ipv6')
}

const selves = addressSet(['::1/128'])
