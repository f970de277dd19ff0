import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { signingCertificates } from '../../../../../providers/src/testing/signing-certificates.testkit.ts'
import { signedBySns } from '../../../../../providers/src/webhook-cases/mail.testkit.ts'
import { createAddressGuard, createOutbound, type Outbound, parseAllowedNetworks } from '../../../kernel/net/index.ts'
import { testCertificate } from '../../../kernel/net/test-certificate.ts'
import { startTestApp, type TestApp } from '../../../testkit/test-app.ts'
import { receive } from './receive.ts'

/** Messages of Amazon SNS at the URL of an installation, with a server of the test in place of Amazon. */

let app: TestApp
let amazon: Server
let origin: string
let outbound: Outbound
let folder: string
let ses: { id: string; integrationId: string }
const asked: string[] = []
/** What Amazon responds, by path. Anything else never ends. */
const answers: Record<string, { status?: number; headers?: Record<string, string>; body: string }> = {
  '/Service-good.pem': { body: signingCertificates.leaf },
  '/Service-other.pem': { body: signingCertificates.otherName },
  '/Service-expired.pem': { body: signingCertificates.expired },
  '/Service-html.pem': { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Sign in</title>' },
  '/Service-moved.pem': { status: 302, headers: { location: '/Service-good.pem' }, body: signingCertificates.leaf },
  '/Service-broken.pem': { status: 503, body: '' },
  '/confirm': { body: '<ConfirmSubscriptionResponse/>' },
  '/refused': { status: 403, body: '<ErrorResponse/>' },
  '/moved': { status: 302, headers: { location: '/confirm' }, body: '' },
}
const topicArn = 'arn:aws:sns:us-west-2:123456789012:MyTopic'

const lookup: LookupFunction = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])

beforeAll(async () => {
  amazon = createServer(testCertificate, ({ url = '' }, response) => {
    asked.push(url)
    const answer = answers[url.split('?')[0] ?? '']
    if (answer) response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  })
  amazon.listen(0, '127.0.0.1')
  await once(amazon, 'listening')
  origin = `https://name.example:${(amazon.address() as AddressInfo).port}`
  const guard = createAddressGuard({ allow: parseAllowedNetworks('127.0.0.1/32') })
  outbound = createOutbound({ guard, userAgent: 'mortise-test', lookup, ca: testCertificate.cert })
  folder = await mkdtemp(join(tmpdir(), 'mortise-sns-'))
  const file = await readFile(new URL('../../../../../providers/providers/amazonSes.yaml', import.meta.url), 'utf8')
  const moved = file
    .replaceAll('sns.*.amazonaws.com', 'name.example')
    .replace('sns.amazonaws.com]', 'signer.hook.test]')
  await writeFile(join(folder, 'testSes.yaml'), moved.replace('name: amazonSes', 'name: testSes'))
  // No node delivers the events, so that they can be counted.
  app = await startTestApp({ env: { MORTISE_ROLES: 'api', MORTISE_PROVIDERS_DIR: folder } })
  await call('POST', '/destinations', { name: 'hook', type: 'webhook', metadata: { url: 'https://receiver.example/' } })
  const subscribe = { objects: [{ objectName: 'emails', destination: 'hook', updateEvent: { enabled: 'always' } }] }
  const integrations = [{ name: 'ses', provider: 'testSes', subscribe }]
  await call('PUT', '/integrations:batch', { sourceYaml: JSON.stringify({ specVersion: '1.0.0', integrations }) })
  const account = { groupRef: 'acme', consumerRef: 'acme', provider: 'testSes', providerMetadata: { topicArn } }
  const { id: connectionId } = await call<{ id: string }>('POST', '/connections:generate', account)
  const installation = { groupRef: 'acme', connectionId, config: { content: { provider: 'testSes' } } }
  ses = await call('POST', '/integrations/ses/installations', installation)
})
afterAll(async () => {
  await app?.stop()
  await outbound?.close()
  amazon?.closeAllConnections()
  amazon?.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  asked.splice(0)
})

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await app.call<T>(method, `/projects/default${path}`, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

const seconds = () => Math.floor(app.clock.now().getTime() / 1_000)

async function stored(): Promise<{ name: string; record_id: string | null; raw: string }[]> {
  const { rows } = await sql<{ name: string; record_id: string | null; raw: string }>`
    select name, record_id, raw from inbound_events order by create_time, id`.execute(app.db.sql)
  return rows
}

/** Hands a message to the receiver, whose requests reach the server of the test. Returns the status and the problem. */
async function send(
  message: Record<string, string>,
  { at = seconds(), more = {} }: { at?: number; more?: object } = {},
): Promise<string> {
  const SigningCertURL = `${origin}/Service-good.pem`
  const full = { TopicArn: topicArn, MessageId: 'm1', SignatureVersion: '2', SigningCertURL, ...message }
  const body = Buffer.from(JSON.stringify({ ...signedBySns(full, { seconds: at }), ...more }))
  const named = { projectId: app.projectId, integrationId: ses.integrationId, installationId: ses.id }
  const url = `/subscribe/v1/projects/${app.projectId}/integrations/${ses.integrationId}/installations/${ses.id}`
  const headers = { 'content-type': 'text/plain; charset=UTF-8' }
  return receive({ ...app.app.services, outbound }, named, { url, headers, body }).then(
    ({ text }) => `200 ${text}`.trim(),
    (error: { declaration?: { status: number; code: string } }) => {
      if (error.declaration === undefined) throw error
      return `${error.declaration.status} ${error.declaration.code}`
    },
  )
}
const mail = { messageId: 'mail-1', timestamp: '2026-01-01T00:00:00.000Z' }
const note = (eventType: string) => ({ Type: 'Notification', Message: JSON.stringify({ eventType, mail }) })
const subscribing = (path: string) => ({
  Type: 'SubscriptionConfirmation',
  Message: 'You have chosen to subscribe to the topic.',
  Token: '2336412f37',
  SubscribeURL: path.startsWith('http') ? path : `${origin}${path}`,
})

it('a notification of the topic is an event; another topic, time or certificate is refused', async () => {
  for (const SignatureVersion of ['1', '2'])
    expect(await send({ ...note(`Bounce${SignatureVersion}`), SignatureVersion })).toBe('200')
  expect(await send({ ...note('Bounce2'), MessageId: 'm2' })).toBe('200')
  expect(asked).toEqual(['/Service-good.pem'])
  const events = await stored()
  expect(events).toMatchObject([{ name: 'Bounce1', record_id: 'mail-1' }, { name: 'Bounce2' }])
  expect(JSON.parse(events[0]?.raw ?? '')).toEqual({ eventType: 'Bounce1', mail })

  const refused = '401 event-unverified'
  expect(await send({ ...note('Click'), TopicArn: `${topicArn}2` })).toBe(refused)
  expect(await send(note('Click'), { at: seconds() - 3_700 })).toBe(refused)
  expect(await send(note('Click'), { more: { Message: '{}' } })).toBe(refused)
  for (const path of ['other', 'expired', 'html', 'moved'])
    expect(await send({ ...note('Click'), SigningCertURL: `${origin}/Service-${path}.pem` })).toBe(refused)
  for (const url of ['https://evil.example/a.pem', `${origin}/Service-good.pem?a=b`, 'http://name.example/a.pem', ''])
    expect(await send({ ...note('Click'), SigningCertURL: url })).toBe(refused)
  expect(await send({ ...note('Click'), SigningCertURL: `${origin}/Service-broken.pem` })).toBe(
    '503 certificate-unavailable',
  )
  expect(asked).not.toContain('/a.pem')
  expect(await stored()).toHaveLength(2)
  expect(await send({ Type: 'UnsubscribeConfirmation', Message: 'You have left.', Token: '1' })).toBe('200')
  expect(await stored()).toHaveLength(2)
})

it('a subscription is confirmed by a URL of Amazon only, and once more if it is sent again', async () => {
  for (let times = 0; times < 2; times++) expect(await send(subscribing('/confirm?Token=1'))).toBe('200')
  expect(asked.filter((path) => path.startsWith('/confirm'))).toHaveLength(2)
  asked.splice(0)
  // Signed by Amazon, for somebody else.
  expect(await send({ ...subscribing('/confirm'), TopicArn: `${topicArn}2` })).toBe('401 event-unverified')
  expect(await send(subscribing('/confirm'), { at: seconds() - 3_700 })).toBe('401 event-unverified')
  expect(await send(subscribing('/confirm'), { more: { SubscribeURL: `${origin}/confirm?2` } })).toBe(
    '401 event-unverified',
  )
  for (const url of ['https://evil.example/confirm', 'http://name.example/confirm', 'https://127.0.0.1/confirm'])
    expect(await send(subscribing(url))).toBe('400 event-malformed')
  expect(asked).toEqual([])
  for (const path of ['/refused', '/moved']) expect(await send(subscribing(path))).toBe('503 subscription-unconfirmed')
  expect(asked).toEqual(['/refused', '/moved'])
})
