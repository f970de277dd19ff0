import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import {
  allWebhooks,
  eventNamesOf,
  handshakeReply,
  keySource,
  parseBody,
  parseEvents,
  planRegistrations,
  recordIn,
  verifyingKeys,
  verifyRequest,
  type Webhooks,
  webhooksOf,
} from '../index.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { billingCases } from './billing.testkit.ts'
import { channelCases } from './channels.testkit.ts'
import { commerceCases } from './commerce.testkit.ts'
import { hiringCases } from './hiring.testkit.ts'
import { mailCases } from './mail.testkit.ts'
import { meetingCases } from './meetings.testkit.ts'
import { newsletterCases } from './newsletters.testkit.ts'
import { salesCases } from './sales.testkit.ts'
import { sheetCases } from './sheets.testkit.ts'
import { socialCases } from './social.testkit.ts'
import { supportCases } from './support.testkit.ts'
import { entryFor, now, openRegistration, ours, requestsOf, url, type WebhookCase } from './webhook-case.testkit.ts'
import { workCases } from './work.testkit.ts'

const cases = [
  ...[
    ...billingCases,
    ...channelCases,
    ...commerceCases,
    ...hiringCases,
    ...mailCases,
    ...meetingCases,
    ...newsletterCases,
  ],
  ...[...salesCases, ...sheetCases, ...socialCases, ...supportCases, ...workCases],
]
/** Providers whose webhooks the other test files cover. */
const testedElsewhere = [
  'attio',
  'calendly',
  'github',
  'gitlab',
  'gong',
  'hubspot',
  'notion',
  'outreach',
  'quickbooks',
  'shopify',
  'slack',
  'stripe',
]

it('each provider with webhooks has a case', async () => {
  const catalogue = await loadCatalogue({ cacheDir: testCache })
  const names = catalogue.list().flatMap((entry) => (allWebhooks(entry).length > 0 ? [entry.name] : []))
  expect([...cases.map(({ provider }) => provider), ...testedElsewhere].toSorted()).toEqual(names.toSorted())
})

const seconds = now / 1_000

/** The first event as it arrives, signed with a secret, at a time. */
function arriving(one: WebhookCase, { secret = one.secret, at = seconds } = {}) {
  const [event = { body: {}, headers: {} }] = one.events
  const signing = { secret, seconds: at, url }
  const sent = one.complete ? one.complete(event.body, signing) : event.body
  const body = one.isForm ? new URLSearchParams(Object.entries(sent)).toString() : JSON.stringify(sent)
  const form = one.isForm && { 'content-type': 'application/x-www-form-urlencoded' }
  return { body, headers: { ...form, ...event.headers, ...one.sign(body, signing) } }
}

async function webhooksFor(provider: string): Promise<Webhooks> {
  const module = cases.find((one) => one.provider === provider)?.module
  const webhooks = webhooksOf(await entryFor(provider), module)
  if (webhooks === undefined) throw new Error(`${provider} has no webhooks`)
  return webhooks
}

const bodyPathOf = (verify: Webhooks['verify']) => ('body' in verify ? verify.body : undefined)
const otherKeys = [generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey]

const rows = (fits: (one: WebhookCase) => unknown = () => true) =>
  cases.filter(fits).map((one) => [one.provider, one] as const)

describe('the webhooks of a provider', () => {
  it.each(rows())('are signed by %s, and nothing that differs is accepted', async (provider, one) => {
    const { verify } = await webhooksFor(provider)
    const keys = verifyingKeys(verify, one.secret)
    expect(keys).toHaveLength(1)
    const registered = one.registrationId !== undefined && { registration: one.registrationId }
    const values = new Map(Object.entries(one.values ?? {}).map(([name, value]) => [name, [value]]))
    const verdict = ({ body, headers }: ReturnType<typeof arriving>, by = keys) =>
      verifyRequest(verify, { method: 'POST', url, headers, body: Buffer.from(body), ...registered }, by, now, values)
    const right = arriving(one)
    expect(await verdict(right)).toBe('genuine')
    if (one.isToken !== true && bodyPathOf(verify) === undefined)
      expect(await verdict({ ...right, body: `${right.body} ` })).toBe('forged')
    const source = keySource(verify)
    if (source.from === 'file') expect(verifyingKeys(verify, source.value ?? '')).toHaveLength(1)
    else if ('key' in verify) expect(await verdict(right, otherKeys)).toBe('forged')
    else expect(await verdict(arriving(one, { secret: 'bm90IHRoZSBzZWNyZXQgb2YgdGhpcyBwcm92aWRlcg==' }))).toBe('forged')
    for (const name of Object.keys(one.sign(right.body, { secret: one.secret, seconds, url }))) {
      const { [name]: _, ...without } = right.headers as Record<string, string>
      expect(await verdict({ ...right, headers: without })).toBe('forged')
    }
    expect(
      await verifyRequest(verify, { method: 'POST', url, headers: right.headers, body: Buffer.alloc(0) }, [], now),
    ).toBe('forged')
    if (one.isTimed) {
      expect(await verdict(arriving(one, { at: seconds - 86_400 }))).toBe('stale')
      expect(await verdict(arriving(one, { at: seconds + 86_400 }))).toBe('stale')
    }
  })

  it.each(rows(({ isForm }) => isForm))('are the fields of the form that %s sends', async (provider, one) => {
    const { body, headers } = arriving(one)
    const { value } = parseBody({ body: Buffer.from(body), headers })
    expect(parseEvents(await webhooksFor(provider), value, headers)[0]).toMatchObject(one.events[0]?.parsed ?? {})
  })

  it.each(rows())('are understood as %s sends them', async (provider, one) => {
    const webhooks = await webhooksFor(provider)
    for (const { body, headers = {}, parsed, object, kind, record } of one.events) {
      const [event] = parseEvents(webhooks, body, headers)
      expect(event).toMatchObject(parsed)
      const names = eventNamesOf(webhooks, object)
      expect(names?.[kind]).toContain(event?.name)
      if (event?.object !== undefined) expect(event.object).toBe(object)
      expect(recordIn(webhooks, object, event?.raw)).toEqual(record)
    }
  })

  const checking = rows(({ handshakes }) => handshakes)
  it.each(checking)('have the URL that %s checks', async (provider, one) => {
    const webhooks = await webhooksFor(provider)
    for (const { request, reply } of one.handshakes ?? []) {
      const { method = 'POST', url: to = url, headers = {}, body } = request
      const isSigned = webhooks.handshake?.some(({ signed = true }) => signed)
      const keys = isSigned ? verifyingKeys(webhooks.verify, one.secret) : undefined
      const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
      expect(handshakeReply(webhooks, { method, url: to, headers, body: bytes }, keys)).toEqual(reply)
    }
    const event = Buffer.from(arriving(one).body)
    const of = (keys: Parameters<typeof handshakeReply>[2]) =>
      handshakeReply(webhooks, { method: 'POST', url, headers: {}, body: event }, keys)
    expect([of(undefined), of(verifyingKeys(webhooks.verify, one.secret))]).toEqual([undefined, undefined])
  })

  const registering = rows(({ registration }) => registration)
  it.each(registering)('are registered at %s, renewed and removed as documented', async (provider, one) => {
    const { wanted, answers, sent, headers, registered, renewed, removed } = one.registration ?? {
      ...{ wanted: [], answers: {}, sent: [], registered: {}, removed: [] },
      ...{ headers: undefined, renewed: undefined },
    }
    const entry = await entryFor(provider)
    const webhooks = await webhooksFor(provider)
    await using open = await openRegistration(entry, one.connection, answers)
    const { subscriber, seen } = open
    const [plan] = await subscriber.spread(planRegistrations(webhooks, wanted))
    if (plan === undefined) throw new Error('nothing to register')
    seen.splice(0)
    const made = await subscriber.register({ ...ours, ...plan })
    expect(requestsOf(seen)).toEqual(sent)
    expect(made).toEqual(registered)
    if (headers) expect(seen.at(-1)?.headers).toMatchObject(headers)
    seen.splice(0)
    const request = { ...ours, ...plan, id: made.id }
    if (renewed) {
      expect(await subscriber.renew(request)).toEqual({ expires: expect.any(Date) })
      expect(requestsOf(seen.splice(0))).toEqual(renewed)
    } else expect(await subscriber.renew(request)).toBeUndefined()
    await subscriber.unregister(request)
    expect(requestsOf(seen)).toEqual(removed)
    // Once more: it no longer exists.
    await using gone = await openRegistration(entry, one.connection)
    await gone.subscriber.unregister(request)
  })
})
