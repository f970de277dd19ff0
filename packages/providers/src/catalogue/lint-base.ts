import type { Flaw } from './flaw.ts'
import { isPublicHttp } from './plain-http.ts'

/** What the checks of a file share. */

/** A value that a connection carries in `providerMetadata`. */
export interface DeclaredValue {
  name: string
  kind?: string
}

/** A name of a header (RFC 9110, 5.1). */
export const httpToken = /^[!#$%&'*+.^`|~\w-]+$/

/** The host must be declared: a literal with labels to fill in, or a value that is a URL by its kind. */
export function lintBase(path: Flaw['path'], text: string, values: readonly DeclaredValue[]): Flaw[] {
  const plain = lintPlainHttp(path, text)
  if (plain.length > 0) return plain
  if (/^https?:\/\/[^/?#@\\\s<>]+(?:\/[^?#\\\s]*)?$/.test(text.replace(/\{\{[^{}]*\}\}/g, 'x'))) {
    if (!text.startsWith('{{')) return []
  }
  const whole = /^\{\{\s*(\w+)\s*\}\}(?:\/[^?#\\\s]*)?$/.exec(text)?.[1]
  if (whole === undefined) return [{ path, message: 'must be http(s)://host/path, or start with an input of kind url' }]
  const kind = values.find(({ name }) => name === whole)?.kind
  return kind === 'url' ? [] : [{ path, message: `starts with the input "${whole}"; its kind must be "url"` }]
}

/**
 * A credential crosses the internet encrypted. A customer's own server is an input of kind `url`, which may be `http`.
 */
export function lintPlainHttp(path: Flaw['path'], text: string): Flaw[] {
  if (!isPublicHttp(text)) return []
  const message = `would send credentials unencrypted; write "${text.replace(/^http:/, 'https:')}", or use an input of kind url for a customer's own server`
  return [{ path, message }]
}
