import type { Auth } from '@nats-io/nats-core/internal'
import { parseCredentials } from './credentials.ts'
import type { NatsSettings } from './settings.ts'

/** What the server says first (NATS client protocol, `INFO`). */
export interface ServerGreeting {
  hasTls: boolean
  needsTls: boolean
  hasHeaders: boolean
  hasJetStream: boolean
  payloadBytesMax: number
  nonce: string | undefined
}

/** Parses a line of the server. Undefined if it is not a greeting. */
export function parseGreeting(line: string): ServerGreeting | undefined {
  const text = /^INFO\s(.*)$/i.exec(line)?.[1]
  if (text === undefined) return undefined
  try {
    const info: unknown = JSON.parse(text)
    if (typeof info !== 'object' || info === null) return undefined
    const field = (name: string): unknown => Reflect.get(info, name)
    const [payload, nonce] = [field('max_payload'), field('nonce')]
    return {
      hasTls: field('tls_required') === true || field('tls_available') === true,
      needsTls: field('tls_required') === true,
      hasHeaders: field('headers') === true,
      hasJetStream: field('jetstream') === true,
      payloadBytesMax: typeof payload === 'number' && payload > 0 ? payload : 2 ** 20,
      nonce: typeof nonce === 'string' ? nonce : undefined,
    }
  } catch {
    return undefined
  }
}

/**
 * Writes the line that logs in (NATS client protocol, `CONNECT`).
 *
 * @throws an error of the library if the seed of an nkey is not valid
 */
export function loginLine(
  {
    nkeyAuthenticator,
    jwtAuthenticator,
  }: Pick<typeof import('@nats-io/nats-core/internal'), 'nkeyAuthenticator' | 'jwtAuthenticator'>,
  { username, password, token, credentials }: NatsSettings,
  { nonce, tls }: { nonce: string | undefined; tls: boolean },
): string {
  const parsed = credentials === undefined ? undefined : parseCredentials(credentials)
  const seed = parsed && Buffer.from(parsed.seed)
  const signed: Auth = !parsed
    ? undefined
    : parsed.jwt === undefined
      ? nkeyAuthenticator(seed)(nonce)
      : jwtAuthenticator(parsed.jwt, seed)(nonce)
  const options = {
    ...{ verbose: false, pedantic: false, protocol: 1, echo: false, headers: true, no_responders: true },
    ...{ tls_required: tls, name: 'mortise', lang: 'node', version: '1' },
    ...(username !== undefined && { user: username, pass: password }),
    ...(token !== undefined && { auth_token: token }),
    ...signed,
  }
  return `CONNECT ${JSON.stringify(options)}\r\n`
}
