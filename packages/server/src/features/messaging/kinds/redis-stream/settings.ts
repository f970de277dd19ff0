import { isIP } from 'node:net'
import { Type } from 'typebox'
import type { Issue } from '../../../../kernel/http/index.ts'
import { bareHost } from '../../../../kernel/net/index.ts'
import type { KindServices, Read } from '../kind.ts'
import { hasMask, maskedUrl, maskIssue } from '../masks.ts'

export interface RedisStreamSettings {
  /** `rediss://user:password@host:6379/0` */
  url: string
  /** Key of the stream. */
  stream: string
  /** Entries that the stream keeps, about. */
  maxLength?: number
}

export const properties = {
  url: Type.String({
    description:
      'The server, such as rediss://user:password@redis.example.com:6379/0: with TLS, or redis:// inside MORTISE_ALLOW_PRIVATE_NETWORK.',
  }),
  stream: Type.String({ description: 'Key of the stream. Redis creates it with the first message.' }),
  maxLength: Type.Integer({ description: 'About how many entries the stream keeps. By default, all.' }),
}

/** What a URL of a Redis says. */
export interface RedisTarget {
  host: string
  port: number
  tls: boolean
  username: string | undefined
  password: string | undefined
  database: number
}

const defaultPort = 6379
const urlLengthMax = 2_048
const streamBytesMax = 512
const maxLengthMax = 1_000_000_000
const hostName = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_.])?$/i
const urlRemedy = 'Give the URL of your Redis, such as rediss://user:password@redis.example.com:6379/0.'

export function readSettings(
  input: Record<string, unknown>,
  at: string,
  { guard }: Pick<KindServices, 'guard'>,
): Read<RedisStreamSettings> {
  const { url, stream, maxLength } = input
  const issues = [
    ...textIssues(url, `${at}.url`, urlLengthMax, urlRemedy),
    ...textIssues(stream, `${at}.stream`, streamBytesMax, 'Give the key of the stream, such as mortise:messages.'),
    ...maxLengthIssues(maxLength, `${at}.maxLength`),
  ]
  if (typeof url === 'string' && !issues.some(({ name }) => name === `${at}.url`))
    issues.push(...urlIssues(url, `${at}.url`, guard))
  const settings = { url: String(url), stream: String(stream) }
  return { settings: typeof maxLength === 'number' ? { ...settings, maxLength } : settings, issues }
}

function textIssues(value: unknown, name: string, lengthMax: number, remedy: string): Issue[] {
  if (value === undefined || value === null) return [{ in: 'body', name, detail: `${name} is required.`, remedy }]
  if (typeof value !== 'string' || value === '')
    return [{ in: 'body', name, detail: `${name} must be a string.`, remedy }]
  if (Buffer.byteLength(value) <= lengthMax) return []
  return [{ in: 'body', name, detail: `${name} must not be longer than ${lengthMax} bytes.`, remedy }]
}

function maxLengthIssues(value: unknown, name: string): Issue[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= maxLengthMax) return []
  return [{ in: 'body', name, value, detail: `${name} must be a whole number from 1 to ${maxLengthMax}.` }]
}

function urlIssues(url: string, name: string, guard: KindServices['guard']): Issue[] {
  if (hasMask(url)) return [maskIssue(name)]
  const issue = (detail: string, remedy = urlRemedy): Issue[] => [
    { in: 'body', name, value: maskedUrl(url), detail: `${name} is not accepted. ${detail}`, remedy },
  ]
  const target = parseRedisUrl(url)
  if (typeof target === 'string') return issue(target)
  const { host, port, tls } = target
  if (port < 1024 && port !== 443) return issue(`Port ${port} is not one for Redis.`, 'Use 443, or a port above 1023.')
  if (isIP(host) === 0) return []
  const remedy =
    'Use a public address and rediss, or have the operator of this service add the network to MORTISE_ALLOW_PRIVATE_NETWORK.'
  if (guard.refused(host)) return issue(`The address ${host} is not a public one.`, remedy)
  if (!tls && !guard.isAllowedPrivate(host)) return issue(`Plain redis to ${host} can be read on the way.`, remedy)
  return []
}

/** Reads a URL of a Redis; a sentence when it is not one. */
export function parseRedisUrl(text: string): RedisTarget | string {
  const url = URL.parse(text)
  if (url === null) return 'This is not a URL.'
  const { protocol, username, password, pathname, search, hash } = url
  if (protocol !== 'redis:' && protocol !== 'rediss:') return 'The scheme must be rediss or redis.'
  const host = bareHost(url)
  if (isIP(host) === 0 && !hostName.test(host)) return 'It names no host.'
  const [, database] = /^\/?(\d{0,5})$/.exec(pathname) ?? []
  if (database === undefined || search !== '' || hash !== '')
    return 'Only the number of a database may follow the host.'
  const [name, secret] = [decoded(username), decoded(password)]
  if (name === undefined || secret === undefined) return 'The user name or the password is not percent-encoded.'
  return {
    host,
    port: url.port === '' ? defaultPort : Number(url.port),
    tls: protocol === 'rediss:',
    username: name === '' ? undefined : name,
    password: secret === '' ? undefined : secret,
    database: Number(database),
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
export function targetOf({ url }: RedisStreamSettings): RedisTarget {
  const target = parseRedisUrl(url)
  if (typeof target === 'string') throw new TypeError(target)
  return target
}
