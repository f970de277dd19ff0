import type { Flaw } from './file-checks.ts'

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
  if (/^https?:\/\/[^/?#@\\\s<>]+(?:\/[^?#\\\s]*)?$/.test(text.replace(/\{\{[^}]*\}\}/g, 'x'))) {
    if (!text.startsWith('{{')) return []
  }
  const whole = /^\{\{\s*(\w+)\s*\}\}(?:\/[^?#\\\s]*)?$/.exec(text)?.[1]
  if (whole === undefined) return [{ path, message: 'must be http(s)://host/path, or begin with an input of kind url' }]
  const kind = values.find(({ name }) => name === whole)?.kind
  return kind === 'url' ? [] : [{ path, message: `begins with the input "${whole}", which must be of kind url` }]
}
