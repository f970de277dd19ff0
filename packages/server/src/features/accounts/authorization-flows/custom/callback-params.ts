import type { Readable } from 'node:stream'
import { readFields } from '../../../../kernel/http/index.ts'

export const formBytesMax = 64 * 1024

const longest = { count: 50, name: 200, value: 8_192 }

/**
 * Returns the parameters of a provider's callback, from the query and from a form, each as text.
 *
 * @returns undefined if there are too many, one is too long, or a name is repeated: no provider sends that
 */
export async function callbackParams(
  url: string,
  headers: Record<string, string | string[] | undefined>,
  body: Readable | undefined,
): Promise<Record<string, string> | undefined> {
  const query = url.indexOf('?')
  const pairs = [...new URLSearchParams(query < 0 ? '' : url.slice(query + 1)), ...(await formFields(headers, body))]
  const params: Record<string, string> = Object.create(null)
  for (const [name, value] of pairs) {
    // Do not guess which of two values counts.
    if (name in params || name.length > longest.name || value.length > longest.value) return undefined
    params[name] = value
  }
  return pairs.length > longest.count ? undefined : params
}

async function formFields(
  headers: Record<string, string | string[] | undefined>,
  body: Readable | undefined,
): Promise<URLSearchParams> {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type']?.toString() ?? '')
  if (isForm) return readFields(body)
  for await (const _ of body ?? []);
  return new URLSearchParams()
}
