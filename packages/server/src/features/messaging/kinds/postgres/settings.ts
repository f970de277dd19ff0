import { isIP } from 'node:net'
import { Type } from 'typebox'
import { bareHost } from '../../../../kernel/net/index.ts'
import type { KindServices, Read } from '../kind.ts'
import { hasMask, maskedUrl, maskIssue } from '../masks.ts'
import { definedSettings, SettingsReader } from '../settings-reader.ts'

export interface PostgresSettings {
  /** `postgresql://user:password@host:5432/database` */
  url: string
  /** Schema of the tables. By default, `public`. */
  schema?: string
  /** Certificate authority of the server, PEM. */
  caCertificate?: string
}

export const properties = {
  url: Type.String({
    description:
      'The database, such as postgresql://user:password@db.example.com:5432/app: with TLS, or with ?sslmode=disable inside MORTISE_ALLOW_PRIVATE_NETWORK.',
  }),
  schema: Type.String({ description: 'Schema of the tables, which must exist. By default, public.' }),
  caCertificate: Type.String({
    description:
      'Certificate authority that signed the certificate of the server, as PEM. By default, the public ones.',
  }),
}

/** What a URL of a PostgreSQL says. */
export interface PostgresTarget {
  host: string
  port: number
  tls: boolean
  user: string
  password: string
  database: string
}

const urlLengthMax = 2_048
const remedy = 'Give the URL of your database, such as postgresql://user:password@db.example.com:5432/app.'
const hostName = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_.])?$/i

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<PostgresSettings> {
  const read = new SettingsReader(input, at)
  const url = read.text('url', { what: `a URL of at most ${urlLengthMax} characters`, pattern: lengthOfUrl, remedy })
  if (url !== '') readUrl(read, url, at, guard)
  const settings = definedSettings<PostgresSettings>({
    url,
    schema: read.optionalText('schema', {
      what: 'the name of a schema: 1 to 63 letters, digits and underscores',
      pattern: /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
    }),
    caCertificate: read.optionalText('caCertificate', {
      what: 'a certificate as PEM, of at most 64 KB',
      pattern: /^-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=-]{1,65000}-----END CERTIFICATE-----\s*$/,
      remedy: 'Paste the file of the certificate authority.',
    }),
  })
  return { settings, issues: read.issues }
}

const lengthOfUrl = /^.{1,2048}$/s

function readUrl(read: SettingsReader, url: string, at: string, guard: KindServices['guard']): void {
  if (hasMask(url)) {
    read.issues.push(maskIssue(`${at}.url`))
    return
  }
  const refuse = (detail: string, otherRemedy = remedy) => {
    const name = `${at}.url`
    const shown = `${name} is not accepted. ${detail}`
    read.issues.push({ in: 'body', name, value: maskedUrl(url), detail: shown, remedy: otherRemedy })
  }
  const target = parsePostgresUrl(url)
  if (typeof target === 'string') {
    refuse(target)
    return
  }
  const { host, port, tls } = target
  if (port < 1024) refuse(`Port ${port} is not one for PostgreSQL.`, 'Use a port above 1023.')
  if (isIP(host) === 0) return
  const privateRemedy =
    'Use a public address with TLS, or have the operator of this service add the network to MORTISE_ALLOW_PRIVATE_NETWORK.'
  if (guard.refused(host)) refuse(`The address ${host} is not a public one.`, privateRemedy)
  else if (!tls && !guard.isAllowedPrivate(host))
    refuse(`Without TLS, the connection to ${host} can be read on the way.`, privateRemedy)
}

/** Reads a URL of a PostgreSQL; a sentence when it is not one. */
export function parsePostgresUrl(text: string): PostgresTarget | string {
  const url = URL.parse(text)
  if (url === null) return 'This is not a URL.'
  const { protocol, username, password, pathname, searchParams, hash } = url
  if (protocol !== 'postgresql:' && protocol !== 'postgres:') return 'The scheme must be postgresql.'
  const host = bareHost(url)
  if (isIP(host) === 0 && !hostName.test(host)) return 'It names no host.'
  const parts = [username, password, pathname.slice(1)].map(decoded)
  const [user, secret, database] = parts
  if (user === undefined || secret === undefined || database === undefined)
    return 'The user name, the password or the database is not percent-encoded.'
  if (user === '' || database === '' || database.includes('/')) return 'It must name a user and a database.'
  const mode = searchParams.get('sslmode') ?? 'verify-full'
  const isKnown = [...searchParams.keys()].every((name) => name === 'sslmode')
  if (!isKnown || hash !== '') return 'Only sslmode may follow the database.'
  if (mode !== 'disable' && mode !== 'verify-full') return 'sslmode must be verify-full or disable.'
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    tls: mode !== 'disable',
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

/** The target of settings that were read. @throws TypeError for anything else */
export function targetOf({ url }: PostgresSettings): PostgresTarget {
  const target = parsePostgresUrl(url)
  if (typeof target === 'string') throw new TypeError(target)
  return target
}
