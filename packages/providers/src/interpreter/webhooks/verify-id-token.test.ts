import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { loadCatalogue } from '../../catalogue/load-catalogue.ts'
import type { ProviderHttpRequest } from '../../connector.ts'
import { testCache } from '../../testing/test-cache.testkit.ts'
import { openSubscriber } from './open-subscriber.ts'
import { parseEvents } from './parse-events.ts'
import { verifyingKeys, verifyRequest } from './verify-request.ts'
import { webhooksOf } from './webhooks-of.ts'

const entry = (await loadCatalogue({ cacheDir: testCache })).find('google')
const gmail = webhooksOf(entry, 'gmail')
if (!entry || !gmail) throw new Error('google has no webhooks for gmail')

const url = 'https://m.test/subscribe/v1/projects/p/integrations/i'
const sender = 'push@project.iam.gserviceaccount.com'
const now = Date.parse('2026-01-02T00:00:00Z')
const pair = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const setOf = (...keys: KeyObject[]) => JSON.stringify({ keys: keys.map((key) => key.export({ format: 'jwk' })) })
const keys = verifyingKeys(gmail.verify, setOf(pair.publicKey))

/** As cloud.google.com/pubsub/docs/push shows the request. */
const body = {
  message: {
    data: Buffer.from('{"emailAddress": "user@example.com", "historyId": "9876543210"}').toString('base64'),
    messageId: '2070443601311540',
    publishTime: '2026-01-02T00:00:00.892Z',
  },
  subscription: 'projects/myproject/subscriptions/mysubscription',
}

async function verdict(
  claims: Record<string, unknown> = {},
  {
    key = pair.privateKey,
    values = [sender],
    alg = 'RS256',
  }: { key?: KeyObject; values?: string[]; alg?: string } = {},
) {
  const token = await new SignJWT({
    ...{ aud: url, azp: '113774264463038321964', email: sender, email_verified: true },
    ...{ iss: 'https://accounts.google.com', exp: now / 1_000 + 3_600, ...claims },
  })
    .setProtectedHeader({ alg })
    .sign(key)
  const headers = { authorization: `Bearer ${token}` }
  const request = { method: 'POST', url, headers, body: Buffer.from(JSON.stringify(body)) }
  return verifyRequest(gmail!.verify, request, keys, now, new Map([['gcpPubSubServiceAccount', values]]))
}

it('a push of Pub/Sub is verified by the token of its service account', async () => {
  expect(await verdict()).toBe('genuine')
  expect(await verdict({ iss: 'accounts.google.com' })).toBe('genuine')
})

it.each([
  ['another audience', { aud: 'https://m.test/other' }],
  ['another issuer', { iss: 'https://evil.test' }],
  ['another account', { email: 'evil@project.iam.gserviceaccount.com' }],
  ['an address that is not verified', { email_verified: false }],
  ['an address that is only said to be verified', { email_verified: 'true' }],
])('%s is refused', async (_, claims) => {
  expect(await verdict(claims)).toBe('forged')
})

it('an expired token is stale, and one of another key, or without a known account, is forged', async () => {
  expect(await verdict({ exp: now / 1_000 - 3_600 })).toBe('stale')
  expect(await verdict({}, { key: generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey })).toBe('forged')
  expect(await verdict({}, { values: [] })).toBe('forged')
})

it('a key set is as many keys as it has that are long enough, and none if it is something else', () => {
  const short = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
  expect(verifyingKeys(gmail.verify, setOf(short, curve, pair.publicKey))).toHaveLength(1)
  for (const text of ['', '<html>', '{}', 'null', '{"keys":[1,null,{"kty":"oct","k":"c2VjcmV0"}]}'])
    expect(verifyingKeys(gmail.verify, text)).toEqual([])
})

it('a push says which mailbox changed', () => {
  expect(parseEvents(gmail, body, {})).toEqual([
    {
      name: 'mailbox.changed',
      account: 'user@example.com',
      key: 'user@example.com\n9876543210',
      raw: { emailAddress: 'user@example.com', historyId: '9876543210' },
    },
  ])
  for (const data of [undefined, 5, 'no JSON', Buffer.from('null').toString('base64')])
    expect(parseEvents(gmail, { message: { data } }, {})).toEqual([])
})

it('a mailbox is watched with the topic of the app, and again when it is renewed', async () => {
  const sent: unknown[] = []
  const http = async ({ method, url: to, body: text }: ProviderHttpRequest) => {
    sent.push(`${method} ${new URL(to).pathname}`, ...(text ? [JSON.parse(text)] : []))
    const answer = to.endsWith('/profile')
      ? { emailAddress: 'user@example.com' }
      : { historyId: '1234567890', expiration: '1767916800000' }
    return { status: 200, headers: {}, body: JSON.stringify(answer) }
  }
  const context = { metadata: {}, module: 'gmail', credential: { scheme: 'oauth2', accessToken: 't' } as const }
  const app = { gcpProjectId: 'myproject', gcpPubSubTopicName: 'mail' }
  const subscriber = openSubscriber(entry, context, http, { now: () => now, app })
  const request = { registration: 'r', url, secret: 's', key: '', events: ['mailbox.changed'] }
  const expires = new Date(1767916800000)
  expect(await subscriber.account()).toBe('user@example.com')
  expect(await subscriber.register(request)).toEqual({ id: '1234567890', expires })
  expect(await subscriber.renew({ ...request, id: '1234567890' })).toEqual({ expires })
  await subscriber.unregister({ ...request, id: '1234567890' })
  const watch = ['POST /gmail/v1/users/me/watch', { topicName: 'projects/myproject/topics/mail' }]
  expect(sent).toEqual(['GET /gmail/v1/users/me/profile', ...watch, ...watch])
})
