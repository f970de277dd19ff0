import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, expect, it, vi } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { openForTest, testMessages } from '../conformance.testkit.ts'
import { googleCredentials } from '../google.testkit.ts'
import { startPubSub } from './conformance.testkit.ts'
import { pubsub } from './index.ts'
import type { PubSubSettings } from './settings.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

async function start(tokenUses?: number) {
  const target = await startPubSub(tokenUses)
  const opened = openForTest(pubsub, target.settings)
  closing.push(opened.close, target.stop)
  return { ...target, send: opened.send }
}

it('publishes the messages of each installation with its id as their ordering key, in their order', async () => {
  const { send, received } = await start()
  const batch = testMessages('a', 'b', 'c', 'd').map((message, at) => ({
    ...message,
    body: Buffer.from(JSON.stringify({ installationId: at % 2 === 0 ? 'even' : 'odd' })),
  }))
  const results = await send([...batch, ...testMessages('none')])
  expect(results.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'delivered'))
  const evens = (await received()).filter(({ body }) => body.includes('even')).map(({ id }) => id)
  expect(evens).toEqual([batch[0]?.id, batch[2]?.id])
})

it('keeps a token for all calls, and renews it once when it is refused', async () => {
  const kept = await start()
  for (const text of ['one', 'two', 'three']) await kept.send(testMessages(text))
  expect(kept.tokens()).toBe(1)
  const refused = await start(1)
  for (const text of ['one', 'two'])
    expect(await refused.send(testMessages(text))).toMatchObject([{ outcome: 'delivered' }])
  expect(refused.tokens()).toBe(2)
  const never = await start(0)
  expect(await never.send(testMessages('one'))).toMatchObject([{ outcome: 'retry', status: 401 }])
  expect(never.tokens()).toBe(2)
})

it('sends no token that needs a proof', async () => {
  const { send, behave, requests } = await start()
  behave('gives a token that needs a proof')
  expect(await send(testMessages('one'))).toEqual([
    {
      outcome: 'retry',
      error: expect.stringMatching(
        /^127\.0\.0\.1:\d+ gave an access token of the type DPoP, and .* only Bearer tokens\.$/,
      ),
    },
  ])
  expect(requests()).toBe(0)
})

it('parses the key of the service account once', async () => {
  const parsed = vi.spyOn(crypto, 'createPrivateKey')
  syncBuiltinESMExports()
  const { send, settings } = await start()
  for (const text of ['one', 'two', 'three']) await send(testMessages(text))
  expect(parsed).toHaveBeenCalledTimes(1)
  // Each run of deliveries opens the settings again.
  expect(pubsub.secretsOf({ ...settings } as PubSubSettings)).not.toEqual([])
  expect(parsed).toHaveBeenCalledTimes(1)
})

it('asks once, whatever the client would try again', async () => {
  const { send, requests } = await start()
  const [result] = await send(testMessages('unavailable'))
  expect(result).toMatchObject({ outcome: 'retry', status: 503, error: expect.stringContaining('503 (UNAVAILABLE)') })
  expect(result?.response?.toString()).toContain('Try again.')
  expect(requests()).toBe(1)
})

it('gives each of several sends at the same time its own results', async () => {
  const { send, received } = await start()
  await send(testMessages('first'))
  const results = await Promise.all([
    send(testMessages('one', 'two')),
    send(testMessages('unavailable')),
    send(testMessages('x'), { signal: AbortSignal.abort() }).catch((error: unknown) => error),
    send(testMessages('three')),
  ])
  expect(results).toMatchObject([
    [{ outcome: 'delivered' }, { outcome: 'delivered' }],
    [{ outcome: 'retry', status: 503 }],
    { kind: 'aborted' },
    [{ outcome: 'delivered' }],
  ])
  expect(await received()).toHaveLength(4)
})

it('writes nothing to the console, even where the environment asks the client for it', async () => {
  vi.stubEnv('GOOGLE_SDK_NODE_LOGGING', 'all')
  const written = (['log', 'info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name))
  const { send } = await start()
  expect(await send(testMessages('x'))).toMatchObject([{ outcome: 'delivered' }])
  for (const one of written) expect(one).not.toHaveBeenCalled()
})

it.each([
  'http://oauth2.googleapis.com/token',
  'https://googleapis.com.example.com/token',
  'https://example.com/token',
  'http://10.0.0.1/token',
])('refuses credentials that name the token endpoint %s', (tokenUrl) => {
  const guard = createAddressGuard({ allow: parseAllowedNetworks('') })
  const input = { projectId: 'crm-events', topicId: 'messages', credentials: googleCredentials(tokenUrl) }
  const { issues } = pubsub.readSettings(input, 'metadata', { guard })
  expect(issues).toMatchObject([{ name: 'metadata.credentials', detail: expect.stringContaining('googleapis.com') }])
  expect(JSON.stringify(issues)).not.toContain('PRIVATE KEY')
})
