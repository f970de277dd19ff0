import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Handshake, Webhooks } from '../../catalogue/format/webhooks.ts'
import { loadCatalogue } from '../../catalogue/load-catalogue.ts'
import { testCache } from '../../testing/test-cache.testkit.ts'
import { handshakeReply, handshakeTokens, hasUnsignedHandshake } from './handshakes.ts'
import { verifyingKeys } from './verify-request.ts'

const slack = (await loadCatalogue({ cacheDir: testCache })).find('slack')?.file?.webhooks
if (slack === undefined) throw new Error('Slack has no webhooks')
const keys = verifyingKeys(slack.verify, 'our secret')
const withHandshakes = (...handshake: Handshake[]): Webhooks => ({ ...slack, handshake })

function request({ method = 'POST', query = '', headers = {}, body = '' as unknown }) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { method, url: `https://m.test/in${query}`, headers, body: Buffer.from(text) }
}

it('Slack gets its challenge, and no other event a response', () => {
  const reply = (body: object) => handshakeReply(slack, request({ body }), keys)
  expect(reply({ type: 'url_verification', challenge: 'abc' })).toEqual({ text: 'abc' })
  expect(reply({ type: 'event_callback', challenge: 'abc' })).toBeUndefined()
  for (const challenge of ['', null, {}, 'x'.repeat(2_049)])
    expect(reply({ type: 'url_verification', challenge: challenge as string })).toBeUndefined()
})

it('a text is sent back as JSON, with its HMAC', () => {
  const json = { plainToken: '{{answer}}', encryptedToken: '{{hmac}}' }
  const zoom = withHandshakes({ when: { event: 'endpoint.url_validation' }, answer: 'payload.plainToken', json })
  const body = { event: 'endpoint.url_validation', payload: { plainToken: 'a"b' } }
  const hmac = createHmac('sha256', 'our secret').update('a"b').digest('hex')
  expect(handshakeReply(zoom, request({ body }), keys)).toEqual({
    text: JSON.stringify({ plainToken: 'a"b', encryptedToken: hmac }),
    type: 'application/json',
  })
})

it('an unsigned request gets nothing signed, and a signed one is not taken for an unsigned one', () => {
  const signed = withHandshakes({ when: { a: 1 }, answer: 'b', json: { c: '{{hmac}}' } })
  expect(handshakeReply(signed, request({ body: { a: 1, b: 'x' } }), undefined)).toBeUndefined()
  const unsigned = withHandshakes({ signed: false, when: { a: 1 }, answer: 'b', json: { b: '{{answer}}' } })
  expect(handshakeReply(unsigned, request({ body: { a: 1, b: 'x' } }), undefined)).toMatchObject({ text: '{"b":"x"}' })
  expect(handshakeReply(unsigned, request({ body: { a: 1, b: 'x' } }), keys)).toBeUndefined()
})

it('a parameter, or a header, is sent back as text', () => {
  const webhooks = withHandshakes(
    { signed: false, method: 'GET', answer: 'query:hub.challenge' },
    { signed: false, method: 'GET', answer: 'header:X-Check', json: { verification: '{{answer}}' } },
    { signed: false, answer: 'query:validationToken' },
  )
  const of = (given: Parameters<typeof request>[0]) => handshakeReply(webhooks, request(given), undefined)
  expect(of({ method: 'GET', query: '?hub.mode=subscribe&hub.challenge=1%2B2' })).toEqual({ text: '1+2' })
  expect(of({ method: 'GET', headers: { 'x-check': 'c' } })).toMatchObject({ text: '{"verification":"c"}' })
  expect(of({ query: '?validationToken=a+b%3C' })).toEqual({ text: 'a b<' })
  expect(of({ method: 'GET' })).toBeUndefined()
  expect(of({ body: '{"validationToken":"x"}' })).toBeUndefined()
  expect(hasUnsignedHandshake(webhooks, 'POST')).toBe(true)
  expect(hasUnsignedHandshake(slack, 'POST')).toBe(false)
})

it.each([
  ['Dropbox', { signed: false, method: 'GET', answer: 'query:challenge' }, '?challenge=zYx', 'zYx'],
  [
    'Meta',
    {
      signed: false,
      method: 'GET',
      answer: 'query:hub.challenge',
      token: { at: 'query:hub.verify_token', name: 'verifyToken' },
    },
    '?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meatyhamhock',
    '1158201444',
  ],
] satisfies [string, Handshake, string, string][])(
  '%s gets the challenge of its documentation',
  (_, one, query, text) => {
    const tokens = new Map([['verifyToken', ['meatyhamhock']]])
    expect(handshakeReply(withHandshakes(one), request({ method: 'GET', query }), undefined, tokens)).toEqual({ text })
    expect(handshakeReply(withHandshakes(one), request({ method: 'GET' }), undefined, tokens)).toBeUndefined()
  },
)

it('a header repeats visible text only', () => {
  const webhooks = withHandshakes({ signed: false, answer: 'header:X-Hook-Secret', header: 'X-Hook-Secret' })
  const of = (secret: string) =>
    handshakeReply(webhooks, request({ headers: { 'x-hook-secret': secret }, body: '{}' }), undefined)
  expect(of('abc')).toEqual({ text: '', headers: { 'X-Hook-Secret': 'abc' } })
  for (const secret of ['a b', 'a\r\nSet-Cookie: x', 'é', 'x'.repeat(1_001)]) expect(of(secret)).toBeUndefined()
})

it('a request that needs no text gets an empty response', () => {
  const webhooks = withHandshakes({ signed: false, method: 'GET' })
  expect(handshakeReply(webhooks, request({ method: 'HEAD' }), undefined)).toEqual({ text: '' })
  expect(handshakeReply(webhooks, request({ body: '{}' }), undefined)).toBeUndefined()
})

it('a token of the app is compared first', () => {
  const token = { at: 'query:hub.verify_token', name: 'verifyToken' }
  const webhooks = withHandshakes({ signed: false, method: 'GET', answer: 'query:hub.challenge', token })
  const of = (sent: string, known: string[]) =>
    handshakeReply(
      webhooks,
      request({ method: 'GET', query: `?hub.challenge=c&hub.verify_token=${sent}` }),
      undefined,
      new Map([['verifyToken', known]]),
    )
  expect(of('right', ['other', 'right'])).toEqual({ text: 'c' })
  for (const [sent, known] of [
    ['wrong', ['right']],
    ['', ['']],
    ['right', []],
  ] as const)
    expect(of(sent, [...known])).toBeUndefined()
  expect(handshakeTokens(webhooks)).toEqual(['verifyToken'])
})
