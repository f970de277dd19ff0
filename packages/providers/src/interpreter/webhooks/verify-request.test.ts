import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Verification } from '../../catalogue/format/webhook-verification.ts'
import { loadCatalogue } from '../../catalogue/load-catalogue.ts'
import { testCache } from '../../testing/test-cache.testkit.ts'
import type { InboundRequest } from './inbound-request.ts'
import { verifyingKeys, verifyRequest } from './verify-request.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })
const secret = { from: 'app' } as const

function of(provider: string): Verification {
  const verify = catalogue.find(provider)?.file?.webhooks?.verify
  if (!verify) throw new Error(`${provider} has no webhooks`)
  return verify
}

function post(
  body: string | Buffer,
  headers: InboundRequest['headers'],
  url = 'https://hooks.test/in',
): InboundRequest {
  return { method: 'POST', url, headers, body: Buffer.from(body) }
}

function verdictOf(verify: Verification, request: InboundRequest, secrets: string[], now: number) {
  const keys = secrets.flatMap((text) => verifyingKeys(verify, text))
  return verifyRequest(verify, request, keys, now)
}

const at = (seconds: number) => seconds * 1_000

describe('verifyRequest', () => {
  it('accepts the example of GitHub’s documentation, and nothing that differs by a bit', async () => {
    const github: Verification = {
      by: 'hmac',
      algorithm: 'sha256',
      encoding: 'hex',
      header: 'X-Hub-Signature-256',
      prefix: 'sha256=',
      secret,
    }
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    const verdict = (body: string, header: string, key = "It's a Secret to Everybody") =>
      verdictOf(github, post(body, { 'x-hub-signature-256': header }), [key], 0)
    expect(await verdict('Hello, World!', signature)).toBe('genuine')
    expect(await verdict('Hello, World?', signature)).toBe('forged')
    expect(await verdict('Hello, World!', signature, 'another secret')).toBe('forged')
    expect(await verdict('Hello, World!', signature.replace('sha256=', ''))).toBe('forged')
    expect(await verdict('Hello, World!', `${signature.slice(0, -1)}8`)).toBe('forged')
    expect(await verdict('Hello, World!', `${signature}00`)).toBe('forged')
    expect(await verdict('Hello, World!', 'sha256=')).toBe('forged')
  })

  it('accepts the example of Notion’s documentation', async () => {
    const token = 'secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl'
    const signature = 'sha256=461e8cbcba8a75c3edd866f0e71280f5a85cbf21eff040ebd10fe266df38a735'
    const request = post(JSON.stringify({ verification_token: token }), { 'x-notion-signature': signature })
    expect(await verdictOf(of('notion'), request, [token], 0)).toBe('genuine')
    expect(await verdictOf(of('notion'), request, ['another token'], 0)).toBe('forged')
  })

  it('accepts the example of Slack’s documentation until it is too old', async () => {
    const slack = of('slack')
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
    const request = post(body, {
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
      'x-slack-request-timestamp': '1531420618',
    })
    const verdict = (now: number) => verdictOf(slack, request, ['8f742231b10e8888abcd99yyyzzz85a5'], now)
    expect(await verdict(at(1_531_420_618 + 300))).toBe('genuine')
    expect(await verdict(at(1_531_420_618 + 301))).toBe('stale')
    expect(await verdict(at(1_531_420_618 - 301))).toBe('stale')
    const moved = { ...request, headers: { ...request.headers, 'x-slack-request-timestamp': '1531420900' } }
    expect(await verdictOf(slack, moved, ['8f742231b10e8888abcd99yyyzzz85a5'], at(1_531_420_900))).toBe('forged')
  })

  it('reads Stripe’s pairs: any of its signatures counts, others than v1 do not', async () => {
    const stripe = of('stripe')
    const body = '{"id":"evt_1"}'
    const right = createHmac('sha256', 'whsec_x').update(`1700000000.${body}`).digest('hex')
    const verdict = (header: string, now = at(1_700_000_010)) =>
      verdictOf(stripe, post(body, { 'stripe-signature': header }), ['whsec_x'], now)
    const wrong = '0'.repeat(64)
    expect(await verdict(`t=1700000000,v1=${right}`)).toBe('genuine')
    expect(await verdict(`t=1700000000,v1=${wrong},v1=${right},v0=${wrong}`)).toBe('genuine')
    expect(await verdict(`t=1700000000,v0=${right}`)).toBe('forged')
    expect(await verdict(`t=1700000001,v1=${right}`)).toBe('forged')
    expect(await verdict(`v1=${right}`)).toBe('forged')
    expect(await verdict(`t=1700000000,v1=${right}`, at(1_700_000_400))).toBe('stale')
    expect(await verdict(`t=1700000000,${`v1=${wrong},`.repeat(50)}v1=${right}`)).toBe('forged')
  })

  it('signs method, URL, body and milliseconds for HubSpot', async () => {
    const hubspot = of('hubspot')
    const url = 'https://mortise.test/subscribe/v1/projects/p/integrations/i'
    const body = '[{"eventId":1}]'
    const signature = createHmac('sha256', 'client-secret').update(`POST${url}${body}1700000000000`).digest('base64')
    const headers = { 'x-hubspot-signature-v3': signature, 'x-hubspot-request-timestamp': '1700000000000' }
    const verdict = (elsewhere: string) =>
      verdictOf(hubspot, post(body, headers, elsewhere), ['client-secret'], 1_700_000_000_000)
    expect(await verdict(url)).toBe('genuine')
    expect(await verdict(`${url}2`)).toBe('forged')
  })

  it.each([
    ['shopify', 'X-Shopify-Hmac-SHA256', 'base64', 'sha256'],
    ['attio', 'Attio-Signature', 'hex', 'sha256'],
    ['outreach', 'Outreach-Webhook-Signature', 'hex', 'sha256'],
  ] as const)('signs the bytes of the body alone for %s', async (provider, header, encoding, algorithm) => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])
    const signature = createHmac(algorithm, 'key').update(body).digest(encoding)
    const headers = { [header.toLowerCase()]: signature }
    expect(await verdictOf(of(provider), post(body, headers), ['old key', 'key'], 0)).toBe('genuine')
    expect(await verdictOf(of(provider), post(body, headers), ['old key'], 0)).toBe('forged')
    expect(await verdictOf(of(provider), post(body, headers), [], 0)).toBe('forged')
    expect(await verdictOf(of(provider), post(body, {}), ['key'], 0)).toBe('forged')
  })

  it('takes SHA-1 where a provider knows nothing better, and plain tokens', async () => {
    const intercom: Verification = {
      by: 'hmac',
      algorithm: 'sha1',
      encoding: 'hex',
      header: 'X-Hub-Signature',
      prefix: 'sha1=',
      secret,
    }
    const signature = `sha1=${createHmac('sha1', 'key').update('{}').digest('hex')}`
    expect(await verdictOf(intercom, post('{}', { 'x-hub-signature': signature }), ['key'], 0)).toBe('genuine')
    const gitlab: Verification = { by: 'token', header: 'X-Gitlab-Token', secret: { from: 'generated' } }
    expect(await verdictOf(gitlab, post('{}', { 'x-gitlab-token': 'key' }), ['key'], 0)).toBe('genuine')
    expect(await verdictOf(gitlab, post('{}', { 'x-gitlab-token': 'kez' }), ['key'], 0)).toBe('forged')
  })

  it('never believes what is signed with an empty secret, nor with one that decodes to nothing', async () => {
    const base64: Verification = {
      by: 'hmac',
      algorithm: 'sha256',
      encoding: 'hex',
      header: 'X-Signature',
      secret: { from: 'app', encoding: 'base64' },
    }
    const signature = createHmac('sha256', '').update('{}').digest('hex')
    expect(await verdictOf(base64, post('{}', { 'x-signature': signature }), ['', '!!'], 0)).toBe('forged')
    const token: Verification = { by: 'token', header: 'X-Token', secret }
    expect(await verdictOf(token, post('{}', { 'x-token': '' }), [''], 0)).toBe('forged')
  })
})
