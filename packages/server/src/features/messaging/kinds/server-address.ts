import { isIP } from 'node:net'
import { bareHost } from '../../../kernel/net/index.ts'
import type { KindServices } from './kind.ts'
import type { SettingsReader } from './settings-reader.ts'

/** A server that messages are sent to over a protocol other than HTTP. */
export interface ServerAddress {
  host: string
  port: number
  tls: boolean
}

/** What URLs of a kind of server look like. */
export interface UrlFormat {
  /** Name of the software, for people. */
  product: string
  /** Schemes without and with TLS, and their ports. */
  plain: { scheme: string; port: number }
  secure: { scheme: string; port: number }
  /** Whether a path may follow the host. */
  hasPath: boolean
  /** Which value to give, in a sentence. */
  remedy: string
}

/** An address, and what follows the host in the URL: decoded, and empty without it. */
export interface ParsedUrl extends ServerAddress {
  path: string
}

const hostName = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_.])?$/i
const urlText = /^[!-~]{1,2048}$/
const privateRemedy =
  'Use a public address with TLS, or have the operator of this service add the network to MORTISE_ALLOW_PRIVATE_NETWORK.'

/** Parses the URL of a server; a sentence when it is not one. Credentials belong in `secrets`. */
export function parseServerUrl(text: string, { plain, secure, hasPath }: UrlFormat): ParsedUrl | string {
  const url = URL.parse(text)
  if (url === null) return 'This is not a URL.'
  const { protocol, username, password, pathname, search, hash } = url
  const used = [plain, secure].find(({ scheme }) => protocol === `${scheme}:`)
  if (!used) return `The scheme must be ${secure.scheme} or ${plain.scheme}.`
  if (username !== '' || password !== '') return 'It contains a user name or a password: give them in secrets.'
  const host = bareHost(url)
  if (!isHost(host)) return 'It names no host.'
  const path = decoded(pathname.slice(1))
  if (path === undefined) return 'The part after the host is not percent-encoded.'
  if (search !== '' || hash !== '' || (!hasPath && path !== ''))
    return `Nothing may follow ${hasPath ? 'it' : 'the port'}.`
  return { host, port: url.port === '' ? used.port : Number(url.port), tls: used === secure, path }
}

/** Whether a text is an IP address without brackets, or the name of a host. */
export function isHost(host: string): boolean {
  return isIP(host) !== 0 || hostName.test(host)
}

/**
 * Reads a setting that is the URL of a server. Empty if it is missing or refused.
 *
 * @param tls whether another setting requires TLS or forbids it
 */
export function readServerUrl(
  read: SettingsReader,
  name: string,
  format: UrlFormat,
  { guard, tls }: Pick<KindServices, 'guard'> & { tls?: boolean | undefined },
): string {
  const { product, remedy } = format
  const text = read.text(name, { what: `the URL of a server of ${product}`, pattern: urlText, remedy })
  if (text === '') return text
  const parsed = parseServerUrl(text, format)
  const refusal =
    typeof parsed === 'string'
      ? { reason: parsed, remedy }
      : refusalOf({ ...parsed, tls: tls ?? parsed.tls }, product, guard)
  if (refusal === undefined) return text
  read.refuse(name, `is not accepted. ${refusal.reason}`, refusal.remedy)
  return ''
}

/** Returns why this service does not connect to an address, as far as that is known without I/O. */
export function refusalOf(
  { host, port, tls }: ServerAddress,
  product: string,
  guard: KindServices['guard'],
): { reason: string; remedy: string } | undefined {
  if (port < 1024 && port !== 443)
    return { reason: `Port ${port} is not one for ${product}.`, remedy: 'Use 443, or a port above 1023.' }
  return addressRefusal({ host, tls }, guard)
}

/** Returns why this service does not connect to a literal address. */
export function addressRefusal(
  { host, tls }: Pick<ServerAddress, 'host' | 'tls'>,
  guard: KindServices['guard'],
): { reason: string; remedy: string } | undefined {
  if (isIP(host) === 0) return undefined
  if (guard.refused(host)) return { reason: `The address ${host} is not a public one.`, remedy: privateRemedy }
  if (tls || guard.isAllowedPrivate(host)) return undefined
  return { reason: `Without TLS, the connection to ${host} can be read on the way.`, remedy: privateRemedy }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
