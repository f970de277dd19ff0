import type { Verification } from '../catalogue/format/webhook-verification.ts'
import type { Webhooks } from '../catalogue/format/webhooks.ts'
import type { Verdict } from '../interpreter/webhooks/inbound-request.ts'
import { certificateUrl, isCertified } from '../interpreter/webhooks/signing-certificate.ts'
import { nonceOf, verifyingKeys, verifyRequest } from '../interpreter/webhooks/verify-request.ts'
import { variablesIn } from './stand-in/fill.ts'
import { type Json, valueAt, withValue } from './stand-in/json-paths.ts'
import { type Payload, sentEvent, wantedEvents } from './stand-in/sent-event.ts'
import { type Circumstances, eventSecret, type SignedRequest, signEvent } from './stand-in/sign-event.ts'
import { now } from './stand-in/window-texts.ts'
import { type Tried, tryCase } from './tried.ts'

export const around: Circumstances = {
  url: 'https://mortise.example.com/inbound?registration=our-id',
  registration: 'its-registration',
  at: now,
  email: 'sender@example.com',
  sender: 'its-sender',
}

/** The first event of a file, unsigned. */
export function firstEvent(webhooks: Webhooks): Payload {
  const [first] = wantedEvents(webhooks)
  return first === undefined ? { body: {}, headers: {} } : sentEvent(webhooks, first)
}

/** Sends an event with a right signature, and with every signature that must be refused. */
export async function signatureCases(webhooks: Webhooks): Promise<Tried[]> {
  const tried: Tried[] = []
  const { verify } = webhooks
  const event = certified(verify, firstEvent(webhooks), 'right')
  const [secret, other] = [eventSecret(verify), eventSecret(verify, 1)]
  const keys = verifyingKeys(verify, secret.text)
  const signed = signEvent(verify, event, secret, around)
  const expect = async (name: string, wanted: Verdict, request: Sent, by = keys) => {
    tried.push(
      await tryCase('signatures', name, async () => {
        const verdict = await verdictOf(verify, request, by)
        return verdict === wanted ? [] : [`is ${verdict}, not ${wanted}`]
      }),
    )
  }
  await expect('valid', 'genuine', signed)
  await expect('other signature', 'forged', signEvent(verify, event, secret, around, true))
  await expect('other secret', 'forged', signEvent(verify, event, other, around))
  // Anybody can sign with an empty secret.
  const unkeyed = 'key' in verify ? signed : signEvent(verify, event, { text: '', key: Buffer.alloc(0) }, around)
  await expect('no secret', 'forged', unkeyed, verifyingKeys(verify, ''))
  for (const name of signed.needed) {
    const { [name]: _, ...headers } = signed.headers
    await expect(`no header ${name}`, 'forged', { ...signed, headers })
  }
  for (const [name, request] of changes(verify, signed)) await expect(name, 'forged', request)
  for (const [name, wanted, change] of otherTimes(verify))
    await expect(name, wanted, signEvent(verify, event, secret, { ...around, at: now + change * 1_000 }))
  for (const name of foreign(verify)) {
    const changed = { ...around, [name]: name === 'url' ? 'https://mortise.example.com/other' : 'another' }
    await expect(`other ${name}`, 'forged', signEvent(verify, event, secret, changed))
  }
  if (verify.by === 'publicKey' && verify.sha1When !== undefined) {
    const [path = '', value] = Object.entries(verify.sha1When as Json)[0] ?? []
    const old = { ...event, body: withValue(event.body, path, value) }
    await expect('sha-1', 'genuine', signEvent(verify, old, secret, around))
  }
  if (verify.by === 'publicKey' && verify.key.from === 'file')
    tried.push(await tryCase('signatures', 'key of the file', async () => keyFaults(verify, verify.key.value)))
  if (verify.by === 'hmac' && verify.nonce !== undefined)
    tried.push(await tryCase('signatures', 'repeated', async () => nonceFaults(verify, signed)))
  if (isCertified(verify)) tried.push(await tryCase('signatures', 'certificate', async () => urlFaults(webhooks)))
  return tried
}

type Sent = SignedRequest & { registration?: string }

function inbound({ headers, body, registration = around.registration }: Sent) {
  return { method: 'POST', url: around.url, headers, body: Buffer.from(body), registration }
}

function verdictOf(verify: Verification, request: Sent, keys: ReturnType<typeof verifyingKeys>): Promise<Verdict> {
  const values = new Map<string, string[]>()
  if (verify.by === 'oidc') values.set(verify.email, [around.email])
  if (verify.by === 'publicKey' && verify.sender !== undefined) values.set(verify.sender.name, [around.sender])
  return verifyRequest(verify, inbound(request), keys, now, values)
}

/** Requests whose content changed after they were signed. */
function changes(verify: Verification, signed: SignedRequest): [string, SignedRequest][] {
  const { body } = signed
  if (verify.by === 'token' || verify.by === 'oidc')
    return verify.by === 'token' && verify.body !== undefined
      ? [['no secret in the body', { ...signed, body: JSON.stringify(withoutToken(verify, JSON.parse(body))) }]]
      : []
  if (verify.by === 'jwt') return [['other body', { ...signed, body: `${body} ` }]]
  const named = variablesIn(verify.signedParts ?? verify.signedText ?? '{{body}}')
  const isBody = named.some((name) => ['body', 'bodyCrc32', 'sortedForm'].includes(name))
  if (isBody) return [['other body', { ...signed, body: named.includes('sortedForm') ? `${body}&a=b` : `${body} ` }]]
  const json: unknown = JSON.parse(body)
  const paths = [
    ...named.flatMap((name) => (name.startsWith('payload.') ? [name.slice('payload.'.length)] : [])),
    ...(verify.body === undefined ? [] : [verify.body]),
  ]
  return paths.flatMap((path): [string, SignedRequest][] => {
    const value = valueAt(json, path)
    const change = path === verify.body ? undefined : 'changed'
    return value === undefined
      ? []
      : [[`other ${path}`, { ...signed, body: JSON.stringify(withValue(json, path, change)) }]]
  })
}

function withoutToken({ body = '', list }: Extract<Verification, { by: 'token' }>, json: unknown): unknown {
  if (list === undefined) return withValue(json, body, undefined)
  const items = valueAt(json, list) as unknown[]
  // One item with the secret does not vouch for another.
  return withValue(json, list, [...items, ...items.map((item) => withValue(item, body, undefined))])
}

/** Differences from the current time, in seconds. */
function otherTimes(verify: Verification): [string, Verdict, number][] {
  if (verify.by === 'token') return []
  if (verify.by === 'jwt' || verify.by === 'oidc') return [['old time', 'stale', -verify.toleranceSeconds - 60]]
  const { timestamp } = verify
  if (timestamp === undefined) return []
  const { toleranceSeconds } = timestamp
  return [
    ['old time', 'stale', -toleranceSeconds - 5],
    ['future time', 'stale', toleranceSeconds + 5],
    ['time within the tolerance', 'genuine', 5 - toleranceSeconds],
  ]
}

/** What else the signature covers. */
function foreign(verify: Verification): ('url' | 'registration' | 'sender' | 'email')[] {
  if (verify.by === 'token') return []
  if (verify.by === 'oidc') return ['url', 'email']
  if (verify.by === 'jwt') return verify.urlClaim === undefined ? [] : ['url']
  const named = variablesIn(verify.signedParts ?? verify.signedText ?? '')
  const covered = (['url', 'registration'] as const).filter((name) => named.includes(name))
  return verify.by === 'publicKey' && verify.sender !== undefined ? [...covered, 'sender'] : covered
}

function keyFaults(verify: Verification, text = ''): string[] {
  return verifyingKeys(verify, text).length === 1 ? [] : ['the file has no such key']
}

/** The value by which a repeated request is dropped: it must be what the signature covers. */
function nonceFaults(verify: Verification, signed: SignedRequest): string[] {
  const found = nonceOf(verify, inbound(signed))
  return found === 'sample-nonce' ? [] : [`the value of each request is ${found}`]
}

/** The event with the URL of a certificate. */
function certified(verify: Verification, event: Payload, which: 'right' | 'other host' | 'http'): Payload {
  if (!isCertified(verify) || verify.key.certificate === undefined) return event
  const { at, hosts, pathEnd = '' } = verify.key.certificate
  const host = which === 'other host' ? 'attacker.example.com' : (hosts[0] ?? '').replaceAll('*', 'sample')
  const url = `${which === 'http' ? 'http' : 'https'}://${host}/certificate${pathEnd}`
  if (!at.startsWith('header:')) return { ...event, body: withValue(event.body, at, url) }
  return { ...event, headers: { ...event.headers, [at.slice('header:'.length).toLowerCase()]: url } }
}

function urlFaults({ verify, ...webhooks }: Webhooks): string[] {
  if (!isCertified(verify)) return []
  return (['right', 'other host', 'http'] as const).flatMap((which) => {
    const event = certified(verify, firstEvent({ verify, ...webhooks }), which)
    const url = certificateUrl(verify, inbound(signEvent(verify, event, eventSecret(verify), around)))
    return (url !== undefined) === (which === 'right') ? [] : [`${which}: the URL of the certificate is ${url}`]
  })
}
