import type { Issue } from '../../../kernel/http/index.ts'
import type { WebhookMetadata } from './model.ts'

/** Stands in answers for what is secret. Valid in every part of a URL, so that a masked URL still parses. */
export const mask = '***'

/** Shows where a destination is and what it sends, without the values that let somebody else post there. */
export function maskedMetadata({ url, headers }: WebhookMetadata): WebhookMetadata {
  return { url: maskedUrl(url), ...(headers && { headers: mapValues(headers, () => mask) }) }
}

/**
 * Masks what may be secret in a URL: user info, query values, the fragment, and path segments that do not read like
 * words. Works on the text, because parsing would rewrite a URL that holds no secret.
 */
export function maskedUrl(url: string): string {
  return splitUrl(url)
    .map(({ text, secret }) => (secret ? mask : text))
    .join('')
}

/**
 * Returns the parts of a URL that `maskedUrl` masks, as they are written and as they decode: a receiver may echo
 * either.
 */
export function secretsInUrl(url: string): string[] {
  const found = splitUrl(url).flatMap(({ text, secret }) => (secret ? [text, decoded(text)] : []))
  return [...new Set(found)]
}

/**
 * Replaces the masked values of an update by the stored ones they stand for, so that sending an answer back changes
 * nothing. A mask that stands for nothing stays, and `maskIssues` refuses it.
 */
export function withStoredValues(given: Record<string, unknown>, stored: WebhookMetadata): Record<string, unknown> {
  const { url, headers } = given
  return {
    ...given,
    ...(url === maskedUrl(stored.url) && { url: stored.url }),
    ...(isMap(headers) && { headers: mapValues(headers, (value, name) => storedHeader(stored, name, value)) }),
  }
}

/** Lists the masked values that would be stored as they are. */
export function maskIssues({ url, headers }: Record<string, unknown>, at: string): Issue[] {
  const issueOf = (name: string): Issue => ({
    in: 'body',
    name,
    detail: `${name} holds ${mask}, which stands for a masked value.`,
    remedy: 'Give the whole value. Get the destination with includeSecrets=true to see it.',
  })
  const names = isMap(headers) ? Object.keys(headers).filter((name) => headers[name] === mask) : []
  return [
    ...(typeof url === 'string' && url.includes(mask) ? [issueOf(`${at}.url`)] : []),
    ...names.map((name) => issueOf(`${at}.headers.${name.slice(0, 100)}`)),
  ]
}

interface UrlPart {
  text: string
  secret: boolean
}

const urlShape = /^([a-z][a-z0-9+.-]*:[/\\]{2})(?:([^/\\?#]*)@)?([^/\\?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is

function splitUrl(url: string): UrlPart[] {
  const [, scheme, user, host = '', path = '', query, fragment] = urlShape.exec(url) ?? []
  // Nothing that is stored has another shape; nothing of it is shown.
  if (scheme === undefined) return [hidden(url)]
  return [
    shown(scheme),
    ...(user === undefined ? [] : [hidden(user), shown('@')]),
    shown(host),
    ...path.split(/([/\\])/).map((part) => (isPlain(part) ? shown(part) : hidden(part))),
    ...(query === undefined ? [] : [shown('?'), ...query.split(/([&;])/).flatMap(pairParts)]),
    ...(fragment === undefined ? [] : [shown('#'), hidden(fragment)]),
  ]
}

/** The name of a query parameter is shown where it has a value; a parameter without one may be a token itself. */
function pairParts(pair: string): UrlPart[] {
  const at = pair.indexOf('=')
  if (pair === '&' || pair === ';') return [shown(pair)]
  return at < 0 ? [hidden(pair)] : [shown(pair.slice(0, at + 1)), hidden(pair.slice(at + 1))]
}

const partsMax = 5
const lettersMax = 16

/**
 * Whether a path segment reads like words, as in `crm-events`, `v1` or `IncomingWebhook`; whatever does not may be a
 * token.
 */
function isPlain(segment: string): boolean {
  const parts = segment.split(/[-_.]/)
  return segment === '/' || segment === '\\' || (parts.length <= partsMax && parts.every(isWord))
}

function isWord(text: string): boolean {
  if (/^\d{0,4}$/.test(text)) return true
  // The length first, and no repetition inside another: the text is a customer's, and backtracking over it must stay
  // linear.
  const [, letters = ''] = /^(\p{L}+)\d{0,3}$/u.exec(text) ?? []
  if (letters.length === 0 || letters.length > lettersMax) return false
  const isOneCase = /^(?:\p{Lu}?\p{Ll}*|\p{Lu}+)$/u.test(letters)
  const isCamelCase = /^(?:\p{Ll}{2,})?(?:\p{Lu}\p{Ll}{2,})*$/u.test(letters)
  // Words have vowels; random letters rarely have enough of them.
  const isPronounceable = !/[bcdfghjklmnpqrstvwxz]{5}/i.test(letters)
  return (isOneCase || isCamelCase) && isPronounceable
}

const shown = (text: string): UrlPart => ({ text, secret: false })
const hidden = (text: string): UrlPart => ({ text, secret: text !== '' })

function storedHeader(stored: WebhookMetadata, name: string, value: unknown): unknown {
  if (value !== mask) return value
  const found = Object.entries(stored.headers ?? {}).find(([header]) => header.toLowerCase() === name.toLowerCase())
  return found?.[1] ?? value
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** From entries, so that a header called `__proto__` is one. */
function mapValues<T, U>(map: Record<string, T>, change: (value: T, name: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value, name)]))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
