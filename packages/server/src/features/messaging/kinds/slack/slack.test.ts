import { expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { namesAt, openForTest, testMessages } from '../conformance.testkit.ts'
import { harness } from './conformance.testkit.ts'
import { slack } from './index.ts'
import { slackText } from './slack-text.ts'

const body = (value: object) => Buffer.from(JSON.stringify(value))

it('says in a sentence what a notification is about, and mentions nobody', () => {
  const data = { groupRef: '<!channel>', provider: 'hubspot', note: '``` <@U1> & more' }
  const text = slackText({ kind: 'notification', eventType: 'connection.error', body: body({ data }) })
  expect(text).toBe(
    '*connection.error* of the group &lt;!channel&gt; at hubspot\n```\n' +
      '{"data":{"groupRef":"&lt;!channel&gt;","provider":"hubspot","note":"\'\'\' &lt;@U1&gt; &amp; more"}}\n```',
  )
  expect(slackText({ kind: 'read', eventType: undefined, body: body({ result: [] }) })).toBe('```\n{"result":[]}\n```')
})

it('cuts a long text, and says how much is left out', () => {
  const text = slackText({ kind: 'read', eventType: undefined, body: body({ a: '😀'.repeat(20_000) }) })
  expect(text.length).toBeLessThan(16_100)
  expect(text).toMatch(/… \(\d+ more characters\)\n```$/)
  expect(text.isWellFormed()).toBe(true)
})

it('posts at most one message a second', async () => {
  const target = await harness.start()
  const { send, close } = openForTest(slack, target.settings)
  const began = performance.now()
  for (const text of ['one', 'two']) expect(await send(testMessages(text))).toMatchObject([{ outcome: 'delivered' }])
  expect(performance.now() - began).toBeGreaterThan(950)
  await close()
  await target.stop()
})

it.each([
  ['hooks.slack.com', '8.8.8.8', 0],
  ['chat.example.com', '8.8.8.8', 1],
  ['hooks.slack.com.example.com', '8.8.8.8', 1],
  ['chat.internal', '10.1.2.3', 0],
])('for the host %s at %s, finds %i issues', async (host, address, count) => {
  const guard = createAddressGuard({ allow: parseAllowedNetworks('10.0.0.0/8') })
  const url = `https://${host}/services/T0/B0`
  const { settings, issues } = slack.readSettings({ url }, 'metadata', { guard })
  expect(issues).toEqual([])
  const services = { guard, names: namesAt(address), project: 'project-1' }
  expect(await slack.checkSettings(settings, 'metadata', services)).toHaveLength(count)
})
