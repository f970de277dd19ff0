import type { Issue } from '../../../kernel/http/index.ts'

/** Replaces secrets in responses. Valid in every part of a URL, so that a masked URL still parses. */
export const mask = '***'

/**
 * Masks the possible secrets in a URL: user info, query values, the fragment, and path segments that do not read like
 * words. Works on the text, because parsing would rewrite a URL without secrets.
 */
export function maskedUrl(url: string): string {
  return splitUrl(url)
    .map(({ text, secret }) => (secret ? mask : text))
    .join('')
}

/** Returns the parts of a URL that `maskedUrl` masks, both encoded and decoded, because a receiver may echo either. */
export function secretsInUrl(url: string): string[] {
  const found = splitUrl(url).flatMap(({ text, secret }) => (secret ? [text, decoded(text)] : []))
  return [...new Set(found)]
}

/**
 * Replaces the masked values of an update by the stored ones they stand for, so that sending a response back changes
 * nothing. A mask that stands for nothing stays, and `readSettings` of the kind refuses it.
 *
 * @param masked the stored values as responses show them
 */
export function withStoredValues(submitted: Values, stored: object, masked: object): Values {
  return mapValues(submitted, (value, name) => {
    const [storedValue, maskedValue] = [valueAt(stored, name), valueAt(masked, name)]
    if (isMap(value) && isMap(storedValue) && isMap(maskedValue))
      return withStoredValues(value, storedValue, maskedValue)
    return typeof value === 'string' && value === maskedValue ? storedValue : value
  })
}

/** Returns the paths of the values of an update that stand for stored secrets: `withStoredValues` replaces these. */
export function maskedPaths(submitted: unknown, stored: unknown, masked: unknown, path: string): string[] {
  if (isMap(submitted) && isMap(stored) && isMap(masked))
    return Object.entries(submitted).flatMap(([name, value]) =>
      maskedPaths(value, valueAt(stored, name), valueAt(masked, name), `${path}.${name}`),
    )
  return typeof submitted === 'string' && submitted === masked && masked !== stored ? [path] : []
}

type Values = Record<string, unknown>

/** Returns a value by its name in any case: header names are case-insensitive. */
function valueAt(values: object, name: string): unknown {
  const lower = name.toLowerCase()
  return Object.entries(values).find(([key]) => key.toLowerCase() === lower)?.[1]
}

/** Whether a text contains a mask. */
export function hasMask(text: string): boolean {
  return text.includes(mask)
}

/** Returns the issue of a masked value that would be stored as it is. */
export function maskIssue(name: string): Issue {
  return {
    in: 'body',
    name,
    detail: `${name} holds ${mask}, which stands for a masked value.`,
    remedy: 'Give the whole value. Get the destination with includeSecrets=true to see it.',
  }
}

interface UrlPart {
  text: string
  secret: boolean
}

const urlShape = /^([a-z][a-z0-9+.-]*:[/\\]{2})(?:([^/\\?#]*)@)?([^/\\?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is

function splitUrl(url: string): UrlPart[] {
  const [, scheme, user, host = '', path = '', query, fragment] = urlShape.exec(url) ?? []
  // No stored value has another format, so nothing of it is shown.
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

/** Shows the name of a query parameter that has a value. A parameter without one may be a token itself. */
function pairParts(pair: string): UrlPart[] {
  const at = pair.indexOf('=')
  if (pair === '&' || pair === ';') return [shown(pair)]
  if (at < 0) return [hidden(pair)]
  const [name, value] = [pair.slice(0, at + 1), pair.slice(at + 1)]
  return [shown(name), isPlaceholder(value) ? shown(value) : hidden(value)]
}

/** Whether a part stands for the group or the connection of a message (`webhook/message-url.ts`). */
function isPlaceholder(part: string): boolean {
  return part === '{{groupRef}}' || part === '{{connectionId}}'
}

const partsMax = 5
const lettersMax = 16

/** Whether a path segment reads like words, as in `crm-events`, `v1` or `IncomingWebhook`. Any other may be a token. */
function isPlain(segment: string): boolean {
  if (isPlaceholder(segment)) return true
  const parts = segment.split(/[-_.]/)
  return segment === '/' || segment === '\\' || (parts.length <= partsMax && parts.every(isWord))
}

function isWord(text: string): boolean {
  if (/^\d{0,4}$/.test(text)) return true
  // Checks the length first, and nests no repetition: the text comes from a customer, and backtracking over it must
  // stay linear.
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

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Built from entries, so that a header called `__proto__` becomes an own property. */
export function mapValues<T, U>(map: Record<string, T>, change: (value: T, name: string) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value, name)]))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
