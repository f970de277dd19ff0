import { ProviderError } from '../../provider-error.ts'

/** Names that say how the request is sent, from where, or by whom: not the caller's. */
const ours = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** RFC 9110, 5.1 and 5.5: a token, and text without control characters. */
const fieldName = /^[!#$%&'*+.^`|~\w-]+$/
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * The caller's headers under lower-cased names.
 * @throws ProviderError, `bad_request`, for one that cannot be passed on
 */
export function callerHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const passed = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    if (callerHeaderRefused(name) || !isHeaderValue(value)) {
      throw new ProviderError('bad_request', `The header "${name.slice(0, 100)}" cannot be passed on.`)
    }
    passed.set(name.toLowerCase(), value)
  }
  return Object.fromEntries(passed)
}

/** Whether no caller may send a header of this name. */
export function callerHeaderRefused(name: string): boolean {
  return !fieldName.test(name) || ours.has(name.toLowerCase())
}

/** Whether a text can be the value of a header. One with a line break would begin another header. */
export function isHeaderValue(value: string): boolean {
  return fieldValue.test(value)
}
