import { InvalidInputs } from '../provider-error.ts'
import { parseTemplate, type Variables } from './template.ts'

/*
 * Host confusion is stopped here: a credential goes to the origin that the provider file declares and the customer's
 * inputs complete, and to no other. A value inside the host is one or more host labels. The composed host must be
 * exactly the text that was composed. A path can never change it (RFC 3986, 5.2: `//evil`, `/\evil`, `@evil`,
 * `.evil.com`).
 */

const hostLabels = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/

/** Whether the value can be part of the host of a URL: lower-case labels, digits, inner hyphens and dots. */
export function isHostValue(value: string): boolean {
  return value.length <= 253 && hostLabels.test(value)
}

/**
 * A URL that a customer gives as a whole, without its trailing slashes; `undefined` when it is not a plain http(s) URL.
 */
export function plainUrl(value: string): string | undefined {
  if (value.length > 2048 || holdsUnsafe(value) || !URL.canParse(value)) return undefined
  const url = new URL(value)
  const plain =
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '' &&
    !value.includes('?') &&
    !value.includes('#') &&
    !hasDotSegment(url.pathname)
  return plain ? url.href.replace(/(?<!\/)\/+$/, '') : undefined
}

/**
 * Returns the base URL that a template makes with the values of a connection. Variables may be part of the host
 * (labels), be the whole beginning (an input of kind `url`), or be part of the path (percent-encoded).
 *
 * @throws InvalidInputs naming the input whose value does not fit
 */
export function resolveBaseUrl(text: string, variables: Variables): URL {
  const template = parseTemplate(text)
  const [first] = template.parts
  let composed = ''
  for (const part of template.parts) {
    if (typeof part === 'string') {
      composed += part
      continue
    }
    const value = variables(part.name)
    if (value === undefined || value === '') throw invalid(part.name, 'missing', 'A value is needed.')
    composed += part === first ? wholeUrl(part.name, value) : insideUrl(part.name, value, composed)
  }
  if (!URL.canParse(composed)) throw new InvalidInputs([{ name: 'baseUrl', problem: 'invalid', detail: notAUrl }])
  const url = new URL(composed)
  const authority = /^https?:\/\/([^/]*)/.exec(composed)?.[1]
  // The parser must have seen the very host that was composed; only a default port may be missing.
  if (authority === undefined || (url.host !== authority && !authority.startsWith(`${url.hostname}:`))) {
    throw new InvalidInputs([{ name: 'baseUrl', problem: 'invalid', detail: notAUrl }])
  }
  return url
}

const notAUrl = 'The inputs do not make a usable base URL.'

function wholeUrl(name: string, value: string): string {
  const url = plainUrl(value)
  if (url === undefined) throw invalid(name, 'invalid', 'It must be an http(s) URL without user, query and fragment.')
  return url
}

function insideUrl(name: string, value: string, before: string): string {
  const inHost = /^https?:\/\/[^/]*$/.test(before)
  if (inHost) {
    const label = value.toLowerCase()
    if (!isHostValue(label)) {
      throw invalid(name, 'invalid', 'It may hold letters, digits, hyphens and dots only, as a host name does.')
    }
    return label
  }
  if (value === '.' || value === '..') throw invalid(name, 'invalid', 'It cannot be a dot segment.')
  return encodeURIComponent(value)
}

function invalid(name: string, problem: 'missing' | 'invalid', detail: string): InvalidInputs {
  return new InvalidInputs([{ name, problem, detail }])
}

/**
 * Joins a path to the base so that origin and base path stay: the text of the path can only add to the path.
 *
 * @param path begins with one `/`; may have a query
 * @throws RangeError if the result would leave the base
 */
export function joinPath(base: URL, path: string): URL {
  const [pathname = ''] = path.split('?', 1)
  if (!path.startsWith('/') || /^\/[/\\]/.test(path) || holdsUnsafe(path) || path.includes('#')) {
    throw new RangeError('The path must begin with one "/" and hold no backslash, space, control character or "#".')
  }
  if (hasDotSegment(pathname)) throw new RangeError('The path holds a dot segment.')
  const url = new URL(`${base.origin}${base.pathname.replace(/(?<!\/)\/+$/, '')}${path}`)
  if (url.origin !== base.origin || url.username !== '') throw new RangeError('The path leaves the declared host.')
  return url
}

/**
 * Returns the URL of a next page that a response names.
 *
 * @returns `undefined` if it is not a URL, or has another origin than the base
 */
export function sameOriginUrl(base: URL, next: string): URL | undefined {
  if (holdsUnsafe(next) || !URL.canParse(next, base.href)) return undefined
  const url = new URL(next, base.href)
  return url.origin === base.origin && url.username === '' && url.password === '' ? url : undefined
}

function hasDotSegment(pathname: string): boolean {
  if (!pathname.includes('.') && !pathname.includes('%')) return false
  return pathname.split('/').some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
}

/** A space, a control character or a backslash: URL parsers drop, turn or keep them, each its own way. */
function holdsUnsafe(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= 0x20 || code === 0x7f || code === 0x5c) return true
  }
  return false
}

/**
 * Returns the URL of a template that is a URL as a whole (authorization and token endpoints, health checks), with its
 * query. The rules of a base URL apply to its values: none can move it to another host, or leave its position.
 *
 * @throws InvalidInputs naming the value that is missing or does not fit
 */
export function resolveUrl(text: string, variables: Variables): URL {
  const url = resolveBaseUrl(text, variables)
  if (url.hash !== '' || text.includes('\\')) {
    throw new InvalidInputs([{ name: 'baseUrl', problem: 'invalid', detail: notAUrl }])
  }
  return url
}
