import { isIP } from 'node:net'
import type { Issue } from '../../../kernel/http/index.ts'
import { bareHost, type NameResolver } from '../../../kernel/net/index.ts'
import type { KindServices } from './kind.ts'
import { maskedUrl } from './masks.ts'

const lookupMs = 2_000

/**
 * Checks the host of a URL by what its name resolves to at this moment, so that a mistake is reported immediately. It
 * proves nothing: every connection is checked again when it is made. A name that cannot be looked up in time passes,
 * unless the protocol is not encrypted.
 *
 * @param plain the protocol without encryption, which only private networks that the operator opened may see
 */
export async function checkHost(
  url: string,
  name: string,
  services: Pick<KindServices, 'guard' | 'names' | 'project'>,
  plain: string,
): Promise<Issue[]> {
  const { protocol, hostname } = hostOf(url)
  const isPlain = protocol === `${plain}:`
  return checkAddresses({ host: hostname, tls: !isPlain }, name, services, {
    value: maskedUrl(url),
    plain: `is plain ${plain}, which is only allowed inside the networks of MORTISE_ALLOW_PRIVATE_NETWORK.`,
    remedy: `Use a public ${plain}s URL, or ${privateRemedy}`,
  })
}

/** Checks a host of a protocol other than HTTP, like `checkHost`. */
export function checkServer(
  server: { host: string; tls: boolean },
  name: string,
  services: Pick<KindServices, 'guard' | 'names' | 'project'>,
): Promise<Issue[]> {
  return checkAddresses(server, name, services, {
    value: server.host,
    plain: 'is without TLS, which is only allowed inside the networks of MORTISE_ALLOW_PRIVATE_NETWORK.',
    remedy: `Use a public address with TLS, or ${privateRemedy}`,
  })
}

const privateRemedy =
  'have the operator of this service add the network to MORTISE_ALLOW_PRIVATE_NETWORK ("loopback" or a list of CIDRs).'

async function checkAddresses(
  { host, tls }: { host: string; tls: boolean },
  name: string,
  { guard, names, project }: Pick<KindServices, 'guard' | 'names' | 'project'>,
  { value, plain, remedy }: { value: string; plain: string; remedy: string },
): Promise<Issue[]> {
  if (isIP(host) !== 0) return []
  const addresses = await resolved(names, host, project)
  if (!tls && !addresses.some((address) => guard.isAllowedPrivate(address)))
    return [{ in: 'body', name, value, detail: `${name} ${plain}`, remedy }]
  if (addresses.length > 0 && addresses.every((address) => guard.refused(address)))
    return [{ in: 'body', name, value, detail: `The host ${host} is not at a public address.`, remedy }]
  return []
}

/**
 * Checks the host of a service over HTTP.
 *
 * @param at the path of the settings, and the setting that names the host unless `endpointUrl` is set
 */
export function checkEndpoint(
  url: URL,
  { endpointUrl }: { endpointUrl?: string },
  at: { path: string; setting: string },
  services: Pick<KindServices, 'guard' | 'names' | 'project'>,
): Promise<Issue[]> {
  return checkHost(url.href, `${at.path}.${endpointUrl === undefined ? at.setting : 'endpointUrl'}`, services, 'http')
}

function hostOf(url: string): { protocol: string; hostname: string } {
  const parsed = new URL(url)
  return { protocol: parsed.protocol, hostname: bareHost(parsed) }
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
