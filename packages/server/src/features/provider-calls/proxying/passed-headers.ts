import type { IncomingHttpHeaders } from 'node:http'
import { framingHeaders } from '../../../kernel/net/index.ts'

/** Request headers that are for this service alone: credentials, and headers of the proxies in front of it. */
const ours = ['authorization', 'x-api-key', 'cookie', 'forwarded', 'via', 'x-real-ip']
const ourPrefix = /^x-(?:amp|mortise|forwarded)-/

const neverSent = new Set([...framingHeaders, ...ours])
/**
 * The provider's cookies are dropped: a client would store them and send them with requests of all its other customers.
 */
const neverAnswered = new Set([...framingHeaders, 'set-cookie', 'set-cookie2', 'x-content-type-options'])

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
    if (neverSent.has(lower) || named?.has(lower) || Object.hasOwn(attached, lower)) continue
    if (lower.startsWith('x-') && ourPrefix.test(lower)) continue
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
  const named = namedIn(rawHeaders)
  const passed: string[] = ['X-Content-Type-Options', 'nosniff']
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as Buffer).toString('latin1')
    const lower = name.toLowerCase()
    if (neverAnswered.has(lower) || named?.has(lower)) continue
    if (lower.startsWith('x-amp-') || lower.startsWith('x-mortise-')) continue
    passed.push(name, (rawHeaders[at + 1] as Buffer).toString('latin1'))
  }
  return passed
}

function namedIn(rawHeaders: Buffer[]): Set<string> | undefined {
  let named: Set<string> | undefined
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 10 && rawHeaders[at]?.toString('latin1').toLowerCase() === 'connection')
      named = connectionOptions(rawHeaders[at + 1]?.toString('latin1')) ?? named
  return named
}

/** Returns the headers that `Connection` names as hop-by-hop. Headers that frame the message cannot be among them. */
function connectionOptions(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || /^(?:keep-alive|close)$/i.test(connection)) return undefined
  const names = connection.split(',').map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => name !== 'content-length' && name !== 'content-type'))
}
