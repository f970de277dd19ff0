/** A request of a provider, as it arrived. */
export interface InboundRequest {
  method: string
  /** The whole URL, as the provider knows it. */
  url: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
  /** The provider's id of the registration that the URL names, if it names one. */
  registration?: string
}

/** `stale`: signed right, but too long ago (or ahead): somebody may be playing it back. */
export type Verdict = 'genuine' | 'forged' | 'stale'

/** Returns the first of several values: no provider sends its signature twice. */
export function headerOf({ headers }: Pick<InboundRequest, 'headers'>, name: string): string | undefined {
  const key = name.toLowerCase()
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined
  return Array.isArray(value) ? value[0] : value
}

/** A parsed body. */
export interface Payload {
  /** Undefined where the body has neither format. */
  value: unknown
  isJson: boolean
}

const payloads = new WeakMap<Buffer, Payload>()

/**
 * Parses a body once: JSON, or a form where the request says so. Some send JSON under the name of a form. An empty body
 * is an object without values: everything is in the headers.
 */
export function parseBody({ body, headers }: Pick<InboundRequest, 'body' | 'headers'>): Payload {
  const known = payloads.get(body)
  if (known !== undefined) return known
  const text = body.toString('utf8')
  let payload: Payload
  if (body.length === 0) return { value: {}, isJson: false }
  try {
    payload = { value: JSON.parse(text), isJson: true }
  } catch {
    payload = { value: isForm(headers) ? Object.fromEntries(new URLSearchParams(text)) : undefined, isJson: false }
  }
  payloads.set(body, payload)
  return payload
}

export function payloadOf(request: Pick<InboundRequest, 'body' | 'headers'>): unknown {
  return parseBody(request).value
}

function isForm(headers: InboundRequest['headers']): boolean {
  return /^application\/x-www-form-urlencoded(?:;|$)/i.test(headerOf({ headers }, 'content-type') ?? '')
}

/** Returns the fields of a form in the order of their names, as one text: `A1B2` of `B=2&A=1`. */
export function sortedForm({ body }: Pick<InboundRequest, 'body'>): string {
  const fields = [...new URLSearchParams(body.toString('utf8'))]
  return fields
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .flat()
    .join('')
}
