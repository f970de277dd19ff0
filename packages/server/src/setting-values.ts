import { isIP } from 'node:net'

/** Values of settings. Each function throws what the value must be, as the end of a sentence about the setting. */

export function integer(text: string, least: number, most: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new Error(`must be a whole number from ${least} to ${most}.`)
  return value
}

/** The text itself, once something that reads it has been content with it. */
export function checked(text: string | undefined, parse: (text: string) => unknown): string | undefined {
  if (text !== undefined) parse(text)
  return text
}

/** Not echoed when it is wrong: it holds a password. */
export function databaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error('must be a connection URL such as postgres://user:password@host:5432/database.')
  return text
}

export function email(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new Error('must be an email address.')
  return text
}

const smtpOptions = ['requireTLS', 'ignoreTLS', 'name', 'tls.rejectUnauthorized', 'tls.servername', 'tls.minVersion']

/** Not echoed when it is wrong: it may hold a password. */
export function smtpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new Error('must be a URL such as smtps://user:password@mail.example.com.')
  // Any other option could lead the connection elsewhere (proxy, service, tls.socket).
  const unknown = [...url.searchParams.keys()].filter((key) => !smtpOptions.includes(key))
  if (unknown.length > 0)
    throw new Error(`has the unknown options ${unknown.join(', ')}. Known: ${smtpOptions.join(', ')}.`)
  return text
}

export function sender(text: string): string {
  if (!/^([^\s@<>]+@[^\s@<>]+|[^<>\r\n]+ <[^\s@<>]+@[^\s@<>]+>)$/.test(text))
    throw new Error('must be a mail address, or a name and an address as in Mortise <mortise@example.com>.')
  return text
}

export function page(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error('must be a URL that begins with http:// or https://.')
  return text
}

export function oneOf<T extends string>(text: string, words: T[]): T {
  const word = words.find((candidate) => candidate === text)
  if (word === undefined) throw new Error(`must be one of ${words.join(', ')}.`)
  return word
}

export function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
}

export function address(text: string): string {
  const [ip, bits, rest] = text.split('/')
  const version = isIP(ip ?? '')
  if (
    version === 0 ||
    rest !== undefined ||
    (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)))
  )
    throw new Error(`must hold IP addresses or CIDRs; ${text} is neither.`)
  return text
}

export function origin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username)
    throw new Error('must be an origin such as https://mortise.example.com, without path or user.')
  return url.origin
}

/** A duration as `30s`, `10m` or `1h`, in milliseconds. */
export function duration(text: string): number {
  const match = /^([1-9]\d{0,5})(s|m|h)$/.exec(text)
  if (!match) throw new Error('must be a duration such as 30s, 10m or 1h.')
  return Number(match[1]) * { s: 1_000, m: 60_000, h: 3_600_000 }[match[2] as 's' | 'm' | 'h']
}
