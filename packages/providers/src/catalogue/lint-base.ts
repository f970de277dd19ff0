import type { Flaw } from './file-checks.ts'
import type { Authentication } from './format/authentication.ts'
import type { MetadataInput } from './format/metadata-input.ts'

/** What the checks of a file share. */

/** What the facts already say about the provider, for what the file leaves out. */
export interface KnownFacts {
  baseUrl?: string
  inputs: readonly MetadataInput[]
  authentication: readonly Authentication[]
}

/** A name of a header (RFC 9110, 5.1). */
export const httpToken = /^[!#$%&'*+.^`|~\w-]+$/

/** The host must be declared: a literal with labels to fill in, or an input that is a URL by its kind. */
export function lintBase(path: Flaw['path'], text: string, inputs: readonly MetadataInput[]): Flaw[] {
  if (/^https?:\/\/[^/?#@\\\s]+(?:\/[^?#\\\s]*)?$/.test(text.replace(/\{\{[^}]*\}\}/g, 'x'))) {
    if (!text.startsWith('{{')) return []
  }
  const whole = /^\{\{\s*(\w+)\s*\}\}(?:\/[^?#\\\s]*)?$/.exec(text)?.[1]
  if (whole === undefined) return [{ path, message: 'must be http(s)://host/path, or begin with an input of kind url' }]
  const kind = inputs.find(({ name }) => name === whole)?.kind
  return kind === 'url' ? [] : [{ path, message: `begins with the input "${whole}", which must be of kind url` }]
}
