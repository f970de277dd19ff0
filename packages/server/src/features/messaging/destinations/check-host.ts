import { isIP } from 'node:net'
import type { Issue } from '../../../kernel/http/index.ts'
import type { AddressGuard, NameResolver } from '../../../kernel/net/index.ts'
import { maskedUrl } from './masked-metadata.ts'

const lookupMs = 2_000

/**
 * Judges the host of a URL by what its name resolves to at this moment, so that a mistake is told at once. It proves
 * nothing: every connection is judged again when it is made. A name that cannot be looked up in time passes for https.
 */
export async function checkHost(
  url: string,
  name: string,
  { guard, names }: { guard: AddressGuard; names: NameResolver },
  project: string,
): Promise<Issue[]> {
  const { hostname, protocol } = new URL(url)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return []
  const addresses = await resolved(names, hostname, project)
  const remedy =
    'Use a public https URL, or have the operator of this service add the network to MORTISE_ALLOW_PRIVATE_NETWORK ("loopback" or a list of CIDRs).'
  if (protocol === 'http:' && !addresses.some((address) => guard.isAllowedPrivate(address)))
    return [
      {
        in: 'body',
        name,
        value: maskedUrl(url),
        detail: `${name} is plain http, which is only spoken inside the networks of MORTISE_ALLOW_PRIVATE_NETWORK.`,
        remedy,
      },
    ]
  if (addresses.length > 0 && addresses.every((address) => guard.refused(address)))
    return [
      { in: 'body', name, value: maskedUrl(url), detail: `The host ${hostname} is not at a public address.`, remedy },
    ]
  return []
}

async function resolved(names: NameResolver, hostname: string, project: string): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<string[]>((settle) => {
    timer = setTimeout(() => settle([]), lookupMs)
  })
  const found = names.resolve(hostname, project).then(
    (addresses) => addresses.map(({ address }) => address),
    () => [],
  )
  const addresses = await Promise.race([found, tooLate])
  clearTimeout(timer)
  return addresses
}
