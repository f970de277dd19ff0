/** A request of a provider, as it arrived. */
export interface InboundRequest {
  method: string
  /** The whole URL, as the provider knows it. */
  url: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

/** `stale`: signed right, but too long ago (or ahead): somebody may be playing it back. */
export type Verdict = 'genuine' | 'forged' | 'stale'

/** Returns the first of several values: no provider sends its signature twice. */
export function headerOf({ headers }: Pick<InboundRequest, 'headers'>, name: string): string | undefined {
  const key = name.toLowerCase()
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined
  return Array.isArray(value) ? value[0] : value
}

const payloads = new WeakMap<Buffer, { value: unknown }>()

/** Returns the parsed JSON body; undefined where it is not JSON. Parses a body once. */
export function payloadOf({ body }: Pick<InboundRequest, 'body'>): unknown {
  const known = payloads.get(body)
  if (known !== undefined) return known.value
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    value = undefined
  }
  payloads.set(body, { value })
  return value
}
