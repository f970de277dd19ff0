import { createHmac, type KeyObject } from 'node:crypto'
import type { Handshake, Webhooks } from '../../catalogue/format/webhooks.ts'
import { compileMatch, type Matcher } from '../match.ts'
import { compilePath, scalarText } from '../path.ts'
import { type CompiledBody, compileBody, scopeOf } from '../request.ts'
import { allowedUrl } from './allowed-url.ts'
import { headerOf, type InboundRequest, payloadOf } from './inbound-request.ts'
import { isSame } from './verify-signature.ts'

/** A response to a request that checks whether the URL responds. */
export interface HandshakeReply {
  text: string
  /** Media type of the text, if it is not plain text. */
  type?: 'application/json'
  headers?: Record<string, string>
}

interface CompiledHandshake {
  method: 'GET' | 'POST'
  isSigned: boolean
  /** Parses the body only where the handshake has a condition. */
  fits: (request: InboundRequest) => boolean
  /** Undefined where the handshake needs no text of the request. */
  read: ((request: InboundRequest) => unknown) | undefined
  json: CompiledBody | undefined
  header: string | undefined
  token: { name: string; read: (request: InboundRequest) => unknown } | undefined
}

interface Plan {
  handshakes: CompiledHandshake[]
  /** Those that bring the secret of later events. */
  offers: { fits: Matcher; read: (payload: unknown) => unknown }[]
  /** Those that name a URL which confirms the subscription. */
  visits: { fits: Matcher; read: (payload: unknown) => unknown; hosts: readonly string[] }[]
}

/** Longer texts are not sent back. */
const answerCharactersMax = 2_048
/** Longer ones nobody signs with. */
const secretCharactersMax = 1_000
/** What a response header may repeat: visible ASCII, so that nothing ends the header. */
const headerText = /^[!-~]{1,1000}$/

const plans = new WeakMap<Webhooks, Plan>()

function planOf(webhooks: Webhooks): Plan {
  const known = plans.get(webhooks)
  if (known !== undefined) return known
  const { handshake = [] } = webhooks
  const plan = {
    handshakes: handshake
      .filter(({ secret, visit }) => secret === undefined && visit === undefined)
      .map(compileHandshake),
    offers: handshake.flatMap(({ when, secret }) =>
      secret === undefined ? [] : [{ fits: compileMatch(when), read: compilePath(secret) }],
    ),
    visits: handshake.flatMap(({ when, visit }) =>
      visit === undefined ? [] : [{ fits: compileMatch(when), read: compilePath(visit.at), hosts: visit.hosts }],
    ),
  }
  plans.set(webhooks, plan)
  return plan
}

function compileHandshake({ method = 'POST', signed = true, when, answer, json, header, token }: Handshake) {
  const match = compileMatch(when)
  return {
    method,
    isSigned: signed,
    fits: (request: InboundRequest) => when === undefined || match(payloadOf(request)),
    read: answer === undefined ? undefined : compileRequestValue(answer),
    json: json === undefined ? undefined : compileBody(json),
    header,
    token: token && { name: token.name, read: compileRequestValue(token.at) },
  }
}

/** Reads a value of a request: a path in the payload, `header:` and a header name, or `query:` and a parameter. */
export function compileRequestValue(location: string): (request: InboundRequest) => unknown {
  const colon = location.indexOf(':')
  const kind = location.slice(0, Math.max(0, colon))
  const name = location.slice(colon + 1)
  if (kind === 'header') return (request) => headerOf(request, name)
  if (kind === 'query') return ({ url }) => URL.parse(url)?.searchParams.get(name)
  const read = compilePath(location)
  return (request) => read(payloadOf(request))
}

/** Returns the names of the values of the provider app that requests contain, besides what signs them. */
export function appValuesIn(webhooks: Webhooks): string[] {
  const { verify } = webhooks
  return [...handshakeTokens(webhooks), ...(verify.by === 'oidc' ? [verify.email] : [])]
}

/** Returns the names of the tokens that unsigned requests contain: values of the provider app. */
export function handshakeTokens({ handshake = [] }: Webhooks): string[] {
  return [...new Set(handshake.flatMap(({ token }) => token?.name ?? []))]
}

/** Whether the provider checks the URL by this method without a signature. */
export function hasUnsignedHandshake(webhooks: Webhooks, method: 'GET' | 'POST'): boolean {
  return planOf(webhooks).handshakes.some((one) => !one.isSigned && one.method === method)
}

/**
 * Returns the response to a request that only checks the URL; undefined for any other. Anybody may have sent an
 * unsigned one: its text is sent back, and nothing else happens.
 *
 * @param keys those of the verified request; undefined where no signature was verified
 * @param tokens values of the provider apps, by name
 */
export function handshakeReply(
  webhooks: Webhooks,
  request: InboundRequest,
  keys: readonly KeyObject[] | undefined,
  tokens: ReadonlyMap<string, readonly string[]> = new Map(),
): HandshakeReply | undefined {
  const method = request.method === 'POST' ? 'POST' : 'GET'
  for (const handshake of planOf(webhooks).handshakes) {
    if (handshake.method !== method || handshake.isSigned !== (keys !== undefined)) continue
    if (!handshake.fits(request)) continue
    if (!hasToken(handshake, request, tokens)) continue
    if (handshake.read === undefined) return { text: '' }
    const text = scalarText(handshake.read(request))
    if (text === undefined || text === '' || text.length > answerCharactersMax) continue
    const reply = replyOf(webhooks, handshake, text, keys)
    if (reply !== undefined) return reply
  }
  return undefined
}

function hasToken(
  { token }: CompiledHandshake,
  request: InboundRequest,
  tokens: ReadonlyMap<string, readonly string[]>,
): boolean {
  if (token === undefined) return true
  const sent = scalarText(token.read(request))
  const known = tokens.get(token.name) ?? []
  return sent !== undefined && sent !== '' && known.some((text) => isSame(Buffer.from(sent), Buffer.from(text)))
}

function replyOf(
  { verify }: Webhooks,
  { json, header }: CompiledHandshake,
  text: string,
  keys: readonly KeyObject[] | undefined,
): HandshakeReply | undefined {
  if (header !== undefined) return headerText.test(text) ? { text: '', headers: { [header]: text } } : undefined
  if (json === undefined) return { text }
  const key = keys?.[0]
  const isHmac = verify.by === 'hmac' && key !== undefined && json.variables.includes('hmac')
  const hmac = isHmac ? createHmac(verify.algorithm, key).update(text).digest('hex') : undefined
  return { text: JSON.stringify(json.fill(scopeOf({ answer: text, hmac }))), type: 'application/json' }
}

/** Whether the provider makes the secret of its events, and sends it before it signs anything. */
export function sendsHandshakeSecret(webhooks: Webhooks): boolean {
  return planOf(webhooks).offers.length > 0
}

/** The secret that a payload says events will be signed with. Anybody may have sent it. */
export function handshakeSecret(webhooks: Webhooks, payload: unknown): string | undefined {
  const text = scalarText(
    planOf(webhooks)
      .offers.find(({ fits }) => fits(payload))
      ?.read(payload),
  )
  return text === undefined || text === '' || text.length > secretCharactersMax ? undefined : text
}

/**
 * Returns the URL that confirms a subscription, where a payload asks for it. `refused`: it names none that the file
 * allows. Undefined for any other payload, which must be verified.
 */
export function confirmationUrl(webhooks: Webhooks, payload: unknown): URL | 'refused' | undefined {
  const visit = planOf(webhooks).visits.find(({ fits }) => fits(payload))
  return visit && (allowedUrl(visit.read(payload), visit.hosts) ?? 'refused')
}
