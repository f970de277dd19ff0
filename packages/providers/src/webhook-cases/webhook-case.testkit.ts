import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  type ConnectionContext,
  type EventKind,
  openSubscriber,
  type ProviderEntry,
  proxyBase,
  type RegistrationRequest,
  type Subscriber,
} from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { entryOf } from '../testing/provider.testkit.ts'

/** What the documentation of a provider shows of its webhooks. */
export interface WebhookCase {
  provider: string
  /** The module whose webhooks they are; the default one unless set. */
  module?: string
  /** Values of the connection that requests must name. */
  values?: Record<string, string>
  connection?: Partial<ConnectionContext>
  /** The secret that signs the events, or the public key that verifies them. */
  secret: string
  /** The signature headers of a body. */
  sign: (body: string, of: Signing) => Record<string, string>
  /** Puts a signature, a secret or a time into an event. */
  complete?: (event: object, of: Signing) => object
  /** The provider's id of the webhook, where the signature covers it. */
  registrationId?: string
  /** A secret of the provider is sent unchanged: it covers nothing else. */
  isToken?: true
  /** Events are forms. */
  isForm?: true
  /** The signature has a time. */
  isTimed?: true
  events: WebhookEvent[]
  /** Requests that only check the URL, and the response to each. */
  handshakes?: { request: Partial<Handshake>; reply: object }[]
  registration?: RegistrationCase
}

export interface Signing {
  secret: string
  seconds: number
  url: string
}

export interface Handshake {
  method: string
  url: string
  headers: Record<string, string>
  body: object
}

export interface WebhookEvent {
  body: object
  headers?: Record<string, string>
  /** The event as parsed, as far as the case says. */
  parsed: object
  object: string
  kind: EventKind | 'changed'
  /** The record in the event, if it has one. */
  record?: unknown
}

export interface RegistrationCase {
  wanted: { object: string; events: string[] }[]
  /** Responses by method and path. Others are 404. */
  answers: Record<string, Answer>
  /** The requests that register the first plan. */
  sent: (string | [string, object | string])[]
  /** Header of the last request. */
  headers?: Record<string, string>
  registered: object
  renewed?: (string | [string, object])[]
  removed: (string | [string, object | string])[]
}

/** The URL that registrations name. */
export const url = 'https://m.test/in?registration=our-id'
export const ourSecret = '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'
export const now = Date.parse('2026-01-02T00:00:00Z')

export function mac(
  text: string,
  key: string | Buffer,
  encoding: 'hex' | 'base64' = 'hex',
  algorithm: 'sha1' | 'sha256' = 'sha256',
): string {
  return createHmac(algorithm, key).update(text).digest(encoding)
}

export const basic = ({ secret }: Signing) => ({
  authorization: `Basic ${Buffer.from(`mortise:${secret}`).toString('base64')}`,
})

/** Puts the secret into each notification, as Microsoft sends it back. */
export const withClientState = (event: object, { secret }: Signing) => ({
  value: (event as { value: object[] }).value.map((item) => ({ ...item, clientState: secret })),
})

export async function entryFor(provider: string): Promise<ProviderEntry> {
  return entryOf(await readFile(new URL(`../../providers/${provider}.yaml`, import.meta.url), 'utf8'))
}

/** A subscriber of a provider whose requests reach a server of the test, with what that server receives. */
export async function openRegistration(
  entry: ProviderEntry,
  connection: Partial<ConnectionContext> = {},
  answers: Record<string, Answer> = {},
): Promise<{ subscriber: Subscriber; seen: SeenRequest[] } & AsyncDisposable> {
  const server = await startServer(({ method, url }) => answers[`${method} ${url.pathname}`] ?? { status: 404 })
  const context = { metadata: {}, credential: { scheme: 'oauth2', accessToken: 't1' } as const, ...connection }
  const http = plainHttp(fetch, { from: proxyBase(entry, context).origin, to: server.origin })
  return {
    subscriber: openSubscriber(entry, context, http, { now: () => now }),
    seen: server.seen,
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  }
}

export const ours: Pick<RegistrationRequest, 'registration' | 'url' | 'secret'> = {
  registration: 'our-id',
  url,
  secret: ourSecret,
}

/** Requests as cases write them: method and path with query, and the body where there is one. */
export function requestsOf(seen: readonly SeenRequest[]): (string | [string, unknown])[] {
  return seen.map(({ method, url, body }) => {
    const line = `${method} ${url.pathname}${decodeURIComponent(url.search)}`
    return body === '' ? line : [line, body.startsWith('{') ? JSON.parse(body) : decodeURIComponent(body)]
  })
}
