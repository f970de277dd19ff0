import { createHmac, type KeyObject } from 'node:crypto'
import type { Handshake, Webhooks } from '../catalogue/format/webhooks.ts'
import {
  confirmationUrl,
  type HandshakeReply,
  handshakeReply,
  handshakeSecret,
} from '../interpreter/webhooks/handshakes.ts'
import type { InboundRequest } from '../interpreter/webhooks/inbound-request.ts'
import { verifyingKeys } from '../interpreter/webhooks/verify-request.ts'
import { around, firstEvent } from './signature-cases.ts'
import { canonical } from './stand-in/declared-request.ts'
import { filledBody, variablesIn } from './stand-in/fill.ts'
import { fitted, isJson, type Json, unfitted, valueAt, withValue } from './stand-in/json-paths.ts'
import { eventSecret } from './stand-in/sign-event.ts'
import { type Tried, tryCase } from './tried.ts'

const challenge = 'sample-challenge'
const token = 'sample-token'

/** A request that checks the URL, in parts that a case changes. */
interface Check {
  method: string
  query: [string, string][]
  headers: Record<string, string>
  body: unknown
}

/** Checks the URL as the file declares each handshake, and in ways that must get no response. */
export async function handshakeCases(webhooks: Webhooks): Promise<Tried[]> {
  const tried: Tried[] = []
  for (const handshake of webhooks.handshake ?? []) {
    // Alone, so that no other one answers in its place.
    const alone = { ...webhooks, handshake: [handshake] }
    const test =
      handshake.secret !== undefined ? secretFaults : handshake.visit !== undefined ? visitFaults : replyFaults
    const method = handshake.method ?? 'POST'
    for (const [name, find] of Object.entries(test(alone, handshake)))
      tried.push(await tryCase('handshakes', `${method} ${name}`, async () => find()))
  }
  return tried
}

type Finders = Record<string, () => string[]>

function replyFaults(webhooks: Webhooks, handshake: Handshake): Finders {
  const secret = eventSecret(webhooks.verify)
  const keys = handshake.signed === false ? undefined : verifyingKeys(webhooks.verify, secret.text)
  const right = checkOf(handshake)
  const reply = (check: Check, by = keys) => handshakeReply(webhooks, inbound(check), by, tokensOf(handshake))
  const none =
    (check: Check, by: KeyObject[] | undefined = keys) =>
    () => {
      const found = reply(check, by)
      return found === undefined ? [] : [`gets ${JSON.stringify(found)}`]
    }
  const { answer, token: sentToken, when } = handshake
  const swapped = keys === undefined ? verifyingKeys(webhooks.verify, secret.text) : undefined
  return {
    success: () => {
      const wanted = declaredReply(webhooks, handshake, textIn(right, answer), secret.key as Buffer)
      const found = reply(right)
      return sameReply(found, wanted) ? [] : [`gets ${JSON.stringify(found)}, declared: ${JSON.stringify(wanted)}`]
    },
    'other method': none({ ...right, method: right.method === 'GET' ? 'POST' : 'GET' }),
    [keys === undefined ? 'with a signature' : 'without a signature']: () => {
      const found = handshakeReply(webhooks, inbound(right), swapped, tokensOf(handshake))
      return found === undefined ? [] : [`gets ${JSON.stringify(found)}`]
    },
    event: none({ method: 'POST', query: [], ...firstEvent(webhooks) }),
    ...(answer !== undefined && {
      'no text': none(put(right, answer, undefined)),
      'empty text': none(put(right, answer, '')),
      'long text': none(put(right, answer, 'x'.repeat(5_000))),
      'object as text': answer.includes(':') ? () => [] : none(put(right, answer, { a: 1 })),
    }),
    ...(handshake.header !== undefined &&
      answer !== undefined && {
        'line break in the header': none(put(right, answer, 'a\r\nset-cookie: b')),
      }),
    ...(when !== undefined && { 'other content': none({ ...right, body: unfitted(right.body, when as Json) }) }),
    ...(sentToken !== undefined && {
      'other token': none(put(right, sentToken.at, 'another')),
      'no token': none(put(right, sentToken.at, undefined)),
    }),
    ...(when !== undefined && {
      html: none({ ...right, body: '<!doctype html>' }),
      list: none({ ...right, body: [] }),
    }),
  }
}

function secretFaults(webhooks: Webhooks, { secret = '' }: Handshake): Finders {
  const { body } = checkOf(webhooks.handshake?.[0] ?? {})
  const is = (payload: unknown, wanted: string | undefined) => () => {
    const found = handshakeSecret(webhooks, payload)
    return found === wanted ? [] : [`the secret is ${found}`]
  }
  return {
    success: is(withValue(body, secret, challenge), challenge),
    'object as secret': is(withValue(body, secret, { a: 1 }), undefined),
    'empty secret': is(withValue(body, secret, ''), undefined),
    event: is(firstEvent(webhooks).body, undefined),
    list: is([body], undefined),
    text: is('text', undefined),
  }
}

function visitFaults(webhooks: Webhooks, { visit = { at: '', hosts: [] } }: Handshake): Finders {
  const { body } = checkOf(webhooks.handshake?.[0] ?? {})
  const host = (visit.hosts[0] ?? '').replaceAll('*', 'sample')
  const is = (payload: unknown, wanted: string | undefined) => () => {
    const found = confirmationUrl(webhooks, payload)
    return String(found) === String(wanted) ? [] : [`the URL is ${String(found)}`]
  }
  const at = (url: unknown) => withValue(body, visit.at, url)
  return {
    success: is(at(`https://${host}/confirm?a=1`), `https://${host}/confirm?a=1`),
    'other host': is(at('https://attacker.example.com/confirm'), 'refused'),
    'host in the user name': is(at(`https://${host}@attacker.example.com/`), 'refused'),
    http: is(at(`http://${host}/confirm`), 'refused'),
    'no url': is(at({}), 'refused'),
    event: is(firstEvent(webhooks).body, undefined),
  }
}

function checkOf({ method = 'POST', when, answer, token: sent }: Handshake): Check {
  const made: Check = {
    method,
    query: [],
    headers: {},
    body: when === undefined ? undefined : fitted({}, when as Json),
  }
  const withText = answer === undefined || isIn(made, answer) ? made : put(made, answer, challenge)
  return sent === undefined ? withText : put(withText, sent.at, token)
}

const isIn = (check: Check, location: string) => textIn(check, location) !== undefined

const tokensOf = ({ token: sent }: Handshake) => new Map(sent === undefined ? [] : [[sent.name, [token]]])

/** The check with a value at a location of handshakes: `header:`, `query:`, or a path in the payload. */
function put(check: Check, location: string, value: unknown): Check {
  const [, kind, name = ''] = /^(header|query):(.*)$/.exec(location) ?? []
  if (kind === undefined) return { ...check, body: withValue(check.body, location, value) }
  if (kind === 'query') {
    const rest = check.query.filter(([key]) => key !== name)
    return { ...check, query: value === undefined ? rest : [...rest, [name, String(value)]] }
  }
  const { [name.toLowerCase()]: _, ...headers } = check.headers
  return { ...check, headers: value === undefined ? headers : { ...headers, [name.toLowerCase()]: String(value) } }
}

function textIn({ query, headers, body }: Check, location: string | undefined): string | undefined {
  if (location === undefined) return undefined
  const [, kind, name = ''] = /^(header|query):(.*)$/.exec(location) ?? []
  if (kind === 'query') return query.find(([key]) => key === name)?.[1]
  const value = kind === 'header' ? headers[name.toLowerCase()] : valueAt(body, location)
  return value === undefined || value === null || isJson(value) ? undefined : String(value)
}

function inbound({ method, query, headers, body }: Check): InboundRequest {
  const url = new URL(around.url)
  for (const [name, value] of query) url.searchParams.set(name, value)
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  return { method, url: url.href, headers, body: Buffer.from(text) }
}

function declaredReply(
  { verify }: Webhooks,
  { json, header, answer }: Handshake,
  text: string | undefined,
  key: Buffer,
): HandshakeReply {
  if (answer === undefined) return { text: '' }
  if (header !== undefined) return { text: '', headers: { [header]: text ?? '' } }
  if (json === undefined) return { text: text ?? '' }
  const isSigned = verify.by === 'hmac' && variablesIn(json).includes('hmac')
  const hmac = isSigned
    ? createHmac(verify.algorithm, key)
        .update(text ?? '')
        .digest('hex')
    : undefined
  return { text: JSON.stringify(filledBody(json, { answer: text, hmac })), type: 'application/json' }
}

function sameReply(found: HandshakeReply | undefined, wanted: HandshakeReply): boolean {
  const written = (reply: HandshakeReply | undefined) =>
    reply && canonical({ ...reply, text: reply.type === undefined ? reply.text : canonical(JSON.parse(reply.text)) })
  return written(found) === written(wanted)
}
