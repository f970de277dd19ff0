import { afterEach, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { openForTest, testMessages } from '../conformance.testkit.ts'
import { googleCredentials } from '../google.testkit.ts'
import { startPubSub } from './conformance.testkit.ts'
import { pubsub } from './index.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
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
