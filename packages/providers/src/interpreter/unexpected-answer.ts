import type { ProviderHttpResponse } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { isObject } from './path.ts'

const titleMax = 120
/** A title stands near the beginning; what comes later is not looked through. */
const lookedThrough = 20_000

/** A response that is not JSON: a login or maintenance page, an empty body, or half of one. Says what arrived. */
export function notJson(
  { status, headers, body, format = 'json' }: ProviderHttpResponse & { format?: string },
  safe: (text: string) => string,
  rawResponse?: string,
): ProviderError {
  return new ProviderError(
    'unexpected_response',
    `The provider answered with status ${status} and ${contentOf(headers, body, safe)} instead of ${format.toUpperCase()}.`,
    { status, ...(rawResponse !== undefined && { rawResponse }) },
  )
}

/** A redirect: it is not followed, because another place must not get the credential. */
export function redirected(
  { status, headers }: ProviderHttpResponse,
  safe: (text: string) => string,
): { message: string } {
  const [target = ''] = (headers['location'] ?? '').split(/[?#]/, 1)
  const to = target === '' ? 'elsewhere' : `to ${quoted(target, safe)}`
  return { message: `The provider redirects ${to} (status ${status}); redirects are not followed.` }
}

/** Whether an answer speaks of an error: what lacks its list then is not an empty list. */
export function speaksOfError(json: unknown): boolean {
  if (!isObject(json)) return false
  return ['error', 'errors', 'Error', 'Errors', 'fault', 'Fault'].some((key) => {
    const value = Object.hasOwn(json, key) ? json[key] : undefined
    if (value === undefined || value === null || value === false || value === '' || value === 0) return false
    return typeof value !== 'object' || Object.keys(value).length > 0
  })
}

function contentOf(headers: Record<string, string>, body: string, safe: (text: string) => string): string {
  if (body.trim() === '') return 'an empty body'
  const type = safe((headers['content-type'] ?? '').split(';', 1)[0] ?? '').slice(0, 80)
  const title = titleOf(body)
  if (title !== undefined) {
    const named = title.trim() === '' ? 'without a title' : `titled ${quoted(title, safe)}`
    return `a page (${type || 'without a content type'}) ${named}`
  }
  const content = type === '' ? 'content without a type' : type
  return /[/+]json$/.test(type) ? `${content} that is cut or malformed (${body.length} characters)` : content
}

/** Whether a body is a page of HTML, such as a login form. */
export function isPage(body: string): boolean {
  return htmlBegin.test(body.slice(0, lookedThrough))
}

const htmlBegin = /^\s*(?:<!doctype html|<html)/i

/** The title of a page of HTML, empty where it has none; `undefined` for anything else. */
function titleOf(body: string): string | undefined {
  const begin = body.slice(0, lookedThrough)
  if (!/^\s*</.test(begin)) return undefined
  const at = begin.search(/<title\b/i)
  if (at < 0) return htmlBegin.test(begin) ? '' : undefined
  const open = begin.indexOf('>', at)
  const end = begin.indexOf('<', open)
  return open < 0 ? '' : begin.slice(open + 1, end < 0 ? open + 1 + titleMax : end)
}

/** A text of somebody else in a sentence of ours: one line, cut, quoted, without what a page could take for markup. */
function quoted(text: string, safe: (text: string) => string): string {
  return JSON.stringify(
    safe(text)
      .replace(/[<>&]/g, '')
      .slice(0, titleMax)
      .replace(/[\uD800-\uDBFF]$/, ''),
  )
}
