import type { IncomingHttpHeaders } from 'node:http'
import { framingHeaders } from '../../../kernel/net/index.ts'

/** Of a request, for this service alone: who calls it, and what stands before it. */
const ours = ['authorization', 'x-api-key', 'cookie', 'forwarded', 'via', 'x-real-ip']
const ourPrefix = /^x-(?:amp|mortise|forwarded)-/

const neverSent = new Set([...framingHeaders, ...ours])
/** The provider's cookies are for nobody: kept by a client they would travel to all its other customers' requests. */
const neverAnswered = new Set([...framingHeaders, 'set-cookie', 'set-cookie2', 'x-content-type-options'])

/**
 * What of a request's headers goes to the provider, names and values in turn: all but those of the connection, those
 * that `Connection` names, ours, and any that holds the caller's key.
 *
 * @param attached headers of the credential: they take the place of what the caller sent
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
 * What of the provider's headers goes to the caller, as an answer of ours: no browser guesses its type. Bytes stay
 * bytes: latin1 both ways.
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

/** Headers that `Connection` makes ones of the connection; what frames the message cannot be among them. */
function connectionOptions(connection: string | undefined): Set<string> | undefined {
  if (connection === undefined || /^(?:keep-alive|close)$/i.test(connection)) return undefined
  const names = connection.split(',').map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => name !== 'content-length' && name !== 'content-type'))
}
