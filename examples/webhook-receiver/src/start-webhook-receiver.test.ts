import { createServer } from 'node:http'
import { connect } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test } from 'vitest'
import { startWebhookReceiver, type WebhookReceiver, type WebhookReceiverOptions } from './index.ts'

const secret = `whsec_${Buffer.from('a secret of the destination').toString('base64')}`
const otherSecret = `whsec_${Buffer.from('a secret of someone else').toString('base64')}`
const running: { close(): Promise<unknown> }[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((it) => it.close()))
})

async function start(options: WebhookReceiverOptions = {}): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver(options)
  running.push(receiver)
  return receiver
}

interface Sent {
  id?: string
  key?: string
  at?: Date
}

function deliver(
  receiver: WebhookReceiver,
  message: unknown,
  { id = 'msg_1', key = secret, at = new Date() }: Sent = {},
) {
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(key).sign(id, at, body),
  }
  return fetch(receiver.url, { method: 'POST', headers, body })
}

const records = (objectName: string, ...ids: (string | number)[]) => ({
  objectName: 'mapped',
  rawObjectName: objectName,
  resultInfo: { type: 'inline', numRecords: ids.length },
  result: ids.map((id) => ({ fields: {}, raw: { id } })),
})

async function serve(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  running.push({
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`
}

describe('signatures', () => {
  test('a good one is answered 204', async () => {
    const receiver = await start({ secret })
    expect((await deliver(receiver, records('contacts', 'a'))).status).toBe(204)
    expect(receiver.counters()).toMatchObject({ requests: 1, verified: 1, refused: 0, messages: 1, records: 1 })
  })

  test('a wrong, missing, old or early one is answered 401 and nothing is counted', async () => {
    const receiver = await start({ secret, storeBodies: true })
    const minutes = (count: number) => new Date(Date.now() + count * 60_000)
    const answers = [
      await deliver(receiver, records('contacts', 'a'), { key: otherSecret }),
      await deliver(receiver, records('contacts', 'a'), { at: minutes(-6) }),
      await deliver(receiver, records('contacts', 'a'), { at: minutes(6) }),
      await fetch(receiver.url, { method: 'POST', body: '{}' }),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([401, 401, 401, 401])
    expect(receiver.counters()).toMatchObject({ requests: 4, verified: 0, refused: 4, messages: 0, records: 0 })
    expect(receiver.bodies).toEqual([])
  })

  test('are checked over the bytes that came', async () => {
    const receiver = await start({ secret })
    expect((await deliver(receiver, '{ "b": 1.0,\n "a": "é" }')).status).toBe(204)
  })

  test('are checked from the moment the secret is known, and with its newest value', async () => {
    const receiver = await start()
    expect((await deliver(receiver, {}, { key: otherSecret })).status).toBe(204)
    let current = secret
    receiver.setSecret(() => current)
    expect((await deliver(receiver, {}, { key: otherSecret })).status).toBe(401)
    current = otherSecret
    expect((await deliver(receiver, {}, { key: otherSecret })).status).toBe(204)
    expect(receiver.counters()).toMatchObject({ verified: 1, refused: 1, duplicates: 1 })
    expect(() => receiver.setSecret('whsec_')).toThrow()
    await expect(startWebhookReceiver({ secret: 'not base64!' })).rejects.toThrow()
  })

  test('are not checked when told so', async () => {
    const receiver = await start({ secret, verify: false })
    expect((await deliver(receiver, {}, { key: otherSecret })).status).toBe(204)
    expect(receiver.counters()).toMatchObject({ verified: 0, messages: 1 })
  })
})

describe('counting', () => {
  test('tells repeated messages and repeated records apart', async () => {
    const receiver = await start({ secret })
    await deliver(receiver, records('contacts', 'a', 'b'), { id: 'm1' })
    await deliver(receiver, records('contacts', 'a', 'b'), { id: 'm1' })
    await deliver(receiver, records('contacts', 'b', 7), { id: 'm2' })
    await deliver(receiver, records('companies', 'a'), { id: 'm3' })
    expect(receiver.counters()).toMatchObject({ messages: 3, duplicates: 1, records: 7, distinctRecords: 4 })
    const times = ['a', 'b', '7', 'c'].map((id) => receiver.timesReceived('contacts', id))
    expect([...times, receiver.timesReceived('companies', 'a')]).toEqual([2, 3, 1, 0, 1])
  })

  test.each([
    ['ids', { records: 2, distinctRecords: 1 }],
    ['count', { records: 2, distinctRecords: 0 }],
    ['none', { records: 0, distinctRecords: 0 }],
  ] as const)('of records by %s', async (trackRecords, expected) => {
    const receiver = await start({ secret, trackRecords })
    await deliver(receiver, records('contacts', 'a', 'a'))
    expect(receiver.counters()).toMatchObject({ messages: 1, ...expected })
  })

  test.each([
    [{ notificationType: 'read.backfill.done', data: {} }, 0],
    [{ action: 'schema.watch', result: { createdFields: [] } }, 0],
    [[], 0],
    [null, 0],
    [{ result: [null, 1, {}, { raw: null }, { raw: { id: {} } }, { raw: { id: '__proto__' } }] }, 6],
  ])('takes %j as a message', async (message, count) => {
    const receiver = await start({ secret, storeBodies: true })
    expect((await deliver(receiver, message)).status).toBe(204)
    expect(receiver.counters()).toMatchObject({ messages: 1, records: count, distinctRecords: Math.min(count, 1) })
    expect(receiver.bodies).toEqual([message])
  })

  test('is shown at GET', async () => {
    const receiver = await start()
    expect(await (await fetch(receiver.url)).json()).toEqual(receiver.counters())
  })
})

describe('answers', () => {
  test('are what respond says, and what is not 2xx is not received', async () => {
    const receiver = await start({
      secret,
      respond: ({ id, message, timesAccepted, body }) =>
        timesAccepted > 0
          ? { status: 200, body: JSON.stringify({ id, message, bytes: body.length }) }
          : { status: id === 'm1' ? 201 : 503, headers: { 'retry-after': '9' } },
    })
    const refused = await deliver(receiver, records('contacts', 'a'), { id: 'm2' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '9'])
    expect(receiver.counters()).toMatchObject({ failed: 1, messages: 0, records: 0 })
    expect((await deliver(receiver, { a: 1 }, { id: 'm1' })).status).toBe(201)
    const again = await deliver(receiver, { a: 1 }, { id: 'm1' })
    expect(await again.json()).toEqual({ id: 'm1', message: { a: 1 }, bytes: 7 })
  })

  test('come after the delay', async () => {
    const receiver = await start({ secret, delayMs: 60 })
    const startedAt = performance.now()
    await deliver(receiver, {})
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(55)
  })

  test('to a body that is no JSON are 400, to one beyond 1 MB 413, and the receiver goes on', async () => {
    const receiver = await start({ secret })
    expect((await deliver(receiver, '{')).status).toBe(400)
    const large = await fetch(receiver.url, { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) })
    expect(large.status).toBe(413)
    expect((await deliver(receiver, {})).status).toBe(204)
    expect(receiver.counters()).toMatchObject({ requests: 3, malformed: 2, messages: 1 })
  })

  test('are 500 when respond or the secret fails, and the message is not received', async () => {
    const fails = () => {
      throw new Error('on purpose')
    }
    const receivers = [await start({ secret, respond: fails }), await start({ secret: fails })]
    for (const receiver of receivers) {
      expect((await deliver(receiver, {})).status).toBe(500)
      expect(receiver.counters()).toMatchObject({ failed: 1, messages: 0 })
    }
  })
})

describe('downloads', () => {
  const message = (downloadUrl: string) => ({
    objectName: 'contacts',
    resultInfo: { type: 'url', numRecords: 2, downloadUrl },
  })

  test('are followed when told so', async () => {
    const url = await serve(200, JSON.stringify(records('contacts', 'a', 'b').result))
    const receiver = await start({ secret, followDownloads: true })
    expect((await deliver(receiver, message(url))).status).toBe(204)
    expect(receiver.timesReceived('contacts', 'b')).toBe(1)
  })

  test('are left alone otherwise', async () => {
    const receiver = await start({ secret })
    expect((await deliver(receiver, message('http://127.0.0.1:1/'))).status).toBe(204)
    expect(receiver.counters()).toMatchObject({ messages: 1, records: 0 })
  })

  test('that fail leave the message unreceived', async () => {
    const receiver = await start({ secret, followDownloads: true })
    const urls = [await serve(403, ''), await serve(200, '{}'), await serve(200, '['), 'file:///etc/hostname', 'x']
    for (const url of urls) expect((await deliver(receiver, message(url))).status).toBe(500)
    expect(receiver.counters()).toMatchObject({ failed: 5, messages: 0 })
  })
})

describe('waiting', () => {
  test('ends as soon as the condition holds', async () => {
    const receiver = await start({ secret })
    const waited = receiver.waitFor((counters) => counters.records >= 3, 5_000)
    await deliver(receiver, records('contacts', 'a', 'b'), { id: 'm1' })
    await deliver(receiver, records('contacts', 'c'), { id: 'm2' })
    expect(await waited).toMatchObject({ records: 3, messages: 2 })
    expect(await receiver.waitFor((counters) => counters.messages === 2, 0)).toMatchObject({ messages: 2 })
  })

  test('fails after its time, and shows the counters', async () => {
    const receiver = await start()
    await expect(receiver.waitFor((counters) => counters.requests > 0, 10)).rejects.toThrow(/10 ms: .*"requests":0/)
  })

  test('fails at once when the receiver closes', async () => {
    const receiver = await start()
    const waited = receiver.waitFor(() => false, 60_000)
    const refused = expect(waited).rejects.toThrow('closed')
    await receiver.close()
    await refused
  })
})

test('a sender that goes away in the middle of a body leaves nothing behind', async () => {
  const receiver = await start({ secret })
  const socket = connect(receiver.port, '127.0.0.1', () => {
    socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc', () => socket.destroy())
  })
  expect(await receiver.waitFor((counters) => counters.requests === 1)).toMatchObject({ failed: 0, messages: 0 })
  expect((await deliver(receiver, {})).status).toBe(204)
})

test('closing ends idle connections and answers that are still delayed, and frees the port', async () => {
  const arrived = Promise.withResolvers<void>()
  const respond = () => {
    arrived.resolve()
    return { status: 204 }
  }
  const receiver = await start({ secret, delayMs: 60_000, respond })
  const idle = connect(receiver.port, '127.0.0.1')
  idle.on('error', () => {})
  await new Promise((resolve) => idle.once('connect', resolve))
  const ended = new Promise((resolve) => idle.once('close', resolve))
  const delayed = expect(deliver(receiver, {})).rejects.toThrow()
  await arrived.promise
  await receiver.close()
  await receiver.close()
  await Promise.all([ended, delayed])
  await start({ port: receiver.port })
})
