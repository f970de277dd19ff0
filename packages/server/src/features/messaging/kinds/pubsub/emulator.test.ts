import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { openForTest, testMessages } from '../conformance.testkit.ts'
import { unwrapped } from '../http-target.testkit.ts'
import { hasServerAt } from '../server-at.testkit.ts'
import { startPubSub } from './conformance.testkit.ts'
import { pubsub } from './index.ts'

/** The port of the emulator by default: `gcloud beta emulators pubsub start`. */
const port = 8085
const projectId = `mortise-${process.pid}`
const topicId = 'mortise-messages'
const subscription = `projects/${projectId}/subscriptions/mortise`

async function request(method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`http://127.0.0.1:${port}/v1/${path}`, { method, headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Record<string, unknown>
}

interface Pulled {
  message: { data: string; attributes: Record<string, string>; orderingKey?: string }
}

describe.skipIf(!(await hasServerAt(port, 'PubSub')))("Google's emulator", () => {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })

  /** The emulator gives no access tokens: a fake does. */
  async function open(topic: string) {
    const tokens = await startPubSub()
    const settings = { ...tokens.settings, endpointUrl: `http://127.0.0.1:${port}`, projectId, topicId: topic }
    const opened = openForTest(pubsub, settings)
    closing.push(opened.close, tokens.stop)
    return opened
  }

  it('gets the messages of an installation in their order, which a consumer can verify', async () => {
    const topic = `projects/${projectId}/topics/${topicId}`
    await request('PUT', topic, {})
    await request('PUT', subscription, { topic, enableMessageOrdering: true })
    const { send, secret } = await open(topicId)
    const messages = testMessages('ä', 'two', 'x'.repeat(300_000)).map((message) => ({
      ...message,
      body: Buffer.from(JSON.stringify({ installationId: 'one', ...JSON.parse(message.body.toString()) })),
    }))
    expect(await send(messages)).toMatchObject(messages.map(() => ({ outcome: 'delivered', status: 200 })))
    const { receivedMessages } = await request('POST', `${subscription}:pull`, { maxMessages: 10 })
    const pulled = (receivedMessages as Pulled[]).map(({ message }) => message)
    expect(pulled.map(({ orderingKey }) => orderingKey)).toEqual(['one', 'one', 'one'])
    for (const [at, { data, attributes }] of pulled.entries()) {
      const { body, headers } = unwrapped(Buffer.from(data, 'base64').toString())
      expect(body).toBe(messages[at]?.body.toString())
      expect(attributes).toEqual({ ...headers, notificationType: 'destination.test' })
      expect(new Webhook(secret).verify(body, attributes)).toEqual(JSON.parse(body))
    }
  })

  it('has no such topic', async () => {
    const { send } = await open('missing')
    const [result] = await send(testMessages('x'))
    expect(result).toMatchObject({ outcome: 'retry', status: 404, error: expect.stringContaining('404 (NOT_FOUND)') })
  })
})
