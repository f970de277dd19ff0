import { isIP } from 'node:net'
import { bareHost, shownHost } from '../../../../kernel/net/index.ts'
import { checkHost } from '../check-host.ts'
import type { DestinationKind, KindServices } from '../kind.ts'
import { hasMask, mask, maskedUrl, maskIssue, secretsInUrl } from '../masks.ts'
import { inItsUrl } from '../receivers.ts'
import type { SettingsReader } from '../settings-reader.ts'

/** How URLs of a database product look. */
export interface UrlRules {
  /** `PostgreSQL` */
  product: string
  /** The first is the usual one. */
  schemes: readonly [string, ...string[]]
  port: number
  /** The one parameter of a URL, and what it may say. */
  tls: { parameter: string; on: string; off: string }
  /** A URL to show to people. */
  example: string
  /** Whether a server with TLS must be named by a host name, and not by an address. */
  tlsNeedsName?: boolean
}

/** What a URL of a database says. */
export interface DatabaseTarget {
  host: string
  port: number
  tls: boolean
  user: string
  password: string
  database: string
}

interface DatabaseSettings {
  url: string
  caCertificate?: string
}

const urlLengthMax = 2_048
const lengthOfUrl = /^.{1,2048}$/s
const hostName = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_.])?$/i

/** Reads the setting `url`. Empty if it is missing. */
export function readUrl(read: SettingsReader, at: string, guard: KindServices['guard'], rules: UrlRules): string {
  const remedy = `Give the URL of your database, such as ${rules.example}.`
  const url = read.text('url', { what: `a URL of at most ${urlLengthMax} characters`, pattern: lengthOfUrl, remedy })
  if (url !== '') checkUrl(read, url, { at, guard, rules, remedy })
  return url
}

interface UrlCheck {
  at: string
  guard: KindServices['guard']
  rules: UrlRules
  remedy: string
}

function checkUrl(read: SettingsReader, url: string, { at, guard, rules, remedy }: UrlCheck): void {
  const name = `${at}.url`
  if (hasMask(url)) {
    read.issues.push(maskIssue(name))
    return
  }
  const refuse = (detail: string, otherRemedy = remedy) => {
    const shown = `${name} is not accepted. ${detail}`
    read.issues.push({ in: 'body', name, value: maskedUrl(url), detail: shown, remedy: otherRemedy })
  }
  const target = parseDatabaseUrl(url, rules)
  if (typeof target === 'string') {
    refuse(target)
    return
  }
  const { host, port, tls } = target
  if (port < 1024) refuse(`Port ${port} is not one for ${rules.product}.`, 'Use a port above 1023.')
  if (isIP(host) === 0) return
  const privateRemedy =
    'Use a public address with TLS, or have the operator of this service add the network to MORTISE_ALLOW_PRIVATE_NETWORK.'
  if (guard.refused(host)) refuse(`The address ${host} is not a public one.`, privateRemedy)
  else if (!tls && !guard.isAllowedPrivate(host))
    refuse(`Without TLS, the connection to ${host} can be read on the way.`, privateRemedy)
  else if (tls && rules.tlsNeedsName)
    refuse('With TLS, the certificate is checked against a host name.', `Name the host of ${host}.`)
}

/** Reads a URL of a database; a sentence when it is not one. */
export function parseDatabaseUrl(text: string, { schemes, port, tls }: UrlRules): DatabaseTarget | string {
  const url = URL.parse(text)
  if (url === null) return 'This is not a URL.'
  const { protocol, username, password, pathname, searchParams, hash } = url
  if (!schemes.includes(protocol.slice(0, -1))) return `The scheme must be ${schemes[0]}.`
  const host = bareHost(url)
  if (isIP(host) === 0 && !hostName.test(host)) return 'It names no host.'
  const parts = [username, password, pathname.slice(1)].map(decoded)
  const [user, secret, database] = parts
  if (user === undefined || secret === undefined || database === undefined)
    return 'The user name, the password or the database is not percent-encoded.'
  if (user === '' || database === '' || database.includes('/')) return 'It must name a user and a database.'
  const mode = searchParams.get(tls.parameter) ?? tls.on
  const isKnown = [...searchParams.keys()].every((name) => name === tls.parameter)
  if (!isKnown || hash !== '') return `Only ${tls.parameter} may follow the database.`
  if (mode !== tls.off && mode !== tls.on) return `${tls.parameter} must be ${tls.on} or ${tls.off}.`
  return {
    host,
    port: url.port === '' ? port : Number(url.port),
    tls: mode !== tls.off,
    user,
    password: secret,
    database,
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** User name and password, up to the last `@` before the path. */
const userInfo = /^([a-z]+:\/\/)[^/?#]*@/i

/** Masks user name and password. The rest is not secret: people see the database and the mode of TLS. */
function shownUrl(url: string): string {
  return userInfo.test(url) ? url.replace(userInfo, `$1${mask}@`) : maskedUrl(url)
}

type UrlParts = 'receivers' | 'checkSettings' | 'maskSettings' | 'secretsOf' | 'host' | 'headers'

/** The parts of a kind that follow from the URL of its database. */
export function kindWithUrl<S extends DatabaseSettings>(rules: UrlRules): Pick<DestinationKind<S>, UrlParts> {
  const targetOf = ({ url }: DatabaseSettings) => databaseTarget(url, rules)
  const [plain] = rules.schemes
  return {
    receivers: { url: inItsUrl },
    checkSettings: async (settings, at, services) => {
      const { host, port, tls } = targetOf(settings)
      const shown = host.includes(':') ? `[${host}]` : host
      return checkHost(`${tls ? `${plain}s` : plain}://${shown}:${port}`, `${at}.url`, services, plain)
    },
    maskSettings: (settings) => ({ ...settings, url: shownUrl(settings.url) }),
    secretsOf: (settings) => [...secretsInUrl(settings.url), targetOf(settings).password],
    host: (settings) => targetOf(settings).host,
    headers: () => ({}),
  }
}

/** The target of settings that were read. @throws TypeError for anything else */
export function databaseTarget(url: string, rules: UrlRules): DatabaseTarget {
  const target = parseDatabaseUrl(url, rules)
  if (typeof target === 'string') throw new TypeError(target)
  return target
}

/** Host, port and database, for people. */
export function shownTarget({ host, port, database }: DatabaseTarget): string {
  return `${shownHost(host, port)}/${database}`
}
