import type { IncomingHttpHeaders } from 'node:http'
import { framingHeaders } from '../../../kernel/net/index.ts'

/** Request headers that are for this service alone: credentials, and headers of the proxies in front of it. */
const ours = ['authorization', 'x-api-key', 'cookie', 'forwarded', 'via', 'x-real-ip']

const neverSent = new Set([...framingHeaders, ...ours])
/**
 * The provider's cookies are dropped: a client would store them and send them with requests of all its other customers.
 */
const neverAnswered = new Set([...framingHeaders, 'set-cookie', 'set-cookie2', 'x-content-type-options'])

/** Longest head of a response that is converted as a whole. */
const headBytesMax = 64 * 1024

/**
 * Returns the request headers to send to the provider, alternating names and values. Leaves out the headers of the
 * connection, those that `Connection` names, ours, and any that contains the caller's key.
 *
 * @param attached headers of the credential, which replace the caller's
 * @param secret the caller's key
 */
export function requestHeaders(
  rawHeaders: string[],
  { connection }: IncomingHttpHeaders,
  attached: Record<string, string>,
  secret: string,
): string[] {
  const named = connectionOptions(connection)
  const passed: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const lower = name.toLowerCase()
    const value = rawHeaders[at + 1] ?? ''
    if (isOurs(lower) || lower.startsWith('x-forwarded-')) continue
    if (neverSent.has(lower) || named?.has(lower) || Object.hasOwn(attached, lower)) continue
    if (secret !== '' && value.includes(secret)) continue
    passed.push(name, value)
  }
  for (const name in attached) passed.push(name, attached[name] ?? '')
  return passed
}

/**
 * Returns the provider's headers to send to the caller, with `nosniff`, so that browsers do not guess the type. latin1
 * both ways preserves the bytes.
 */
export function answerHeaders(rawHeaders: Buffer[]): string[] {
  const texts = textsOf(rawHeaders)
  const named = namedIn(texts)
  const passed: string[] = ['X-Content-Type-Options', 'nosniff']
  for (let at = 0; at < texts.length; at += 2) {
    const name = texts[at] as string
    const lower = name.toLowerCase()
    if (neverAnswered.has(lower) || named?.has(lower)) continue
    if (isOurs(lower)) continue
    passed.push(name, texts[at + 1] as string)
  }
  return passed
}

function isOurs(name: string): boolean {
  return name.startsWith('x-mortise-') || name.startsWith('x-amp-')
}

function namedIn(texts: string[]): Set<string> | undefined {
  let named: Set<string> | undefined
  for (let at = 0; at < texts.length; at += 2)
    if (texts[at]?.length === 10 && texts[at]?.toLowerCase() === 'connection')
      named = connectionOptions(texts[at + 1]) ?? named
  return named
}

/**
 * Returns names and values as text. They are parts of one chunk, so one conversion of the chunk's head and its slices
 * replace a conversion of each. A header that arrived in two chunks is a copy, and converted alone.
 */
function textsOf(rawHeaders: Buffer[]): string[] {
  const [first] = rawHeaders
  const last = rawHeaders.at(-1)
  if (first === undefined || last === undefined || first.buffer !== last.buffer) return rawHeaders.map(latin1)
  const { buffer, byteOffset: start } = first
  const bytes = last.byteOffset + last.length - start
  if (bytes < 0 || bytes > headBytesMax) return rawHeaders.map(latin1)
  const head = latin1(Buffer.from(buffer, start, bytes))
  return rawHeaders.map((part) => {
    const at = part.byteOffset - start
    const isInside = part.buffer === buffer && at >= 0 && at + part.length <= bytes
    return isInside ? head.slice(at, at + part.length) : latin1(part)
  })
}

function latin1(bytes: Buffer): string {
  return bytes.toString('latin1')
}

/** Returns the headers that `Connection` names as hop-by-hop. Headers that frame the message cannot be among them. */
function connectionOptions(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined
  const names = connection.split(',').map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => name !== 'content-length' && name !== 'content-type'))
}
