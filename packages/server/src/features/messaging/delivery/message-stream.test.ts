import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { firstIdAt, newId, timeOfId } from '../../../kernel/db/index.ts'
import { type EventReader, readEvents } from '../../../testkit/read-events.ts'
import { startTestNode, type TestApp } from '../../../testkit/test-app.ts'
import type { Message } from '../messages/index.ts'
import { insertMessages, messagesTopic } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'

type Streamed = Message & { body?: string; headers?: Record<string, string> }

let rig: DeliveryRig
let receiver: WebhookReceiver
let status = 204
const open: EventReader<Streamed>[] = []
beforeAll(async () => {
  rig = await startDeliveryRig()
  receiver = await startWebhookReceiver({ respond: () => ({ status }) })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((stream) => stream.close()))
})
afterAll(async () => {
  await receiver?.close()
  await rig?.app.stop()
})

async function target(headers?: Record<string, string>) {
  const destination = await rig.create(receiver.url, headers)
  receiver.setSecret(destination.secret)
  return destination
}

async function follow(query: Record<string, string> = {}, lastEventId?: string, app: TestApp = rig.app) {
  const stream = await readEvents<Streamed>(
    `${app.url}/v1/projects/default/messages:stream?${new URLSearchParams(query)}`,
    { 'x-api-key': app.apiKey, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
  )
  expect(stream.status).toBe(200)
  open.push(stream)
  const topic = messagesTopic(app.projectId)
  await vi.waitFor(() => expect(app.app.services.pubsub.subscriptions(topic)).toBe(open.length), 20_000)
  // Said in the database: from here on every node tells.
  await vi.waitFor(async () => {
    const { rows } = await sql`select from watches where topic = ${topic.channel}`.execute(
      app.app.services.database.system,
    )
    expect(rows.length).toBeGreaterThan(0)
  }, 20_000)
  return stream
}
const ids = async (name: string) => (await rig.messages(name)).map(({ id }) => id)

describe('a stream of messages', () => {
  it('brings each message as it is posted, and what becomes of it', async () => {
    const { name, id } = await target()
    const stream = await follow({ destination: name })
    await rig.post(name, { n: 1 })
    await stream.until((events) => events.length === 1)
    status = 500
    await rig.deliver(id)
    await stream.until((events) => events.length === 2)
    status = 204
    await rig.pass(id, 10_000)
    await rig.deliver(id)
    await stream.until((events) => events.length === 3)
    const [messageId] = await ids(name)
    expect(stream.events.map(({ event, data }) => [event, data.id, data.state, data.attempts])).toEqual([
      ['message', messageId, 'pending', 0],
      ['state', messageId, 'pending', 1],
      ['state', messageId, 'delivered', 2],
    ])
    expect(stream.events[0]?.data.body).toBeUndefined()
  })

  it('brings only those of its destination, and nothing of a transaction that is rolled back', async () => {
    const [mine, other] = [await target(), await target()]
    const stream = await follow({ destination: mine.id })
    const all = await follow()
    await rig.post(other.name, {})
    await rig.app.db
      .transaction(async (tx) => {
        await insertMessages(tx, [
          { id: newId(), destinationName: mine.name, kind: 'read', payload: Buffer.from('{"undone":1}') },
        ])
        throw new Error('undone')
      })
      .catch(() => {})
    await rig.post(mine.name, {})
    await all.until((events) => events.length >= 2)
    await stream.until((events) => events.length >= 1)
    expect(all.events.map(({ data }) => data.destinationId)).toEqual([other.id, mine.id])
    expect(stream.events.map(({ data }) => data.destinationId)).toEqual([mine.id])
  })

  it('signed brings what an endpoint would get and verify', async () => {
    const { name, secret } = await target({ 'x-team': 'growth' })
    await rig.app.call('POST', `/projects/default/destinations/${name}:disable`)
    const stream = await follow({ destination: name, signed: 'true' })
    await rig.post(name, { text: 'two\nlines, ümlauts' })
    const [event] = await stream.until((events) => events.length === 1)
    const { body = '', headers = {}, id } = event!.data
    expect(new Webhook(secret).verify(body, headers)).toEqual({ text: 'two\nlines, ümlauts' })
    expect(headers).toMatchObject({
      'webhook-id': id,
      'svix-id': id,
      'x-team': 'growth',
      'content-type': 'application/json',
    })
  })

  it('with payloads brings bodies, and a result too large for one by a URL that works', async () => {
    const { name } = await target()
    const stream = await follow({ destination: name, includePayload: 'true' })
    const payload = Buffer.from('{"resultInfo":{"type":"url","numRecords":1,"downloadUrl":""}}')
    await rig.post(name, { payload, result: Buffer.from('[{"n":1}]') })
    const [event] = await stream.until((events) => events.length === 1)
    expect(event!.data.headers).toBeUndefined()
    const { pathname, search } = new URL(JSON.parse(event!.data.body ?? '').resultInfo.downloadUrl)
    expect((await rig.app.call('GET', `/${pathname}${search}`, undefined, { apiKey: null })).body).toEqual([{ n: 1 }])
  })

  it('goes on where it ended: nothing that was posted meanwhile is missing', async () => {
    const { name } = await target()
    const first = await follow({ destination: name })
    await rig.post(name, {}, {})
    const events = await first.until(({ length }) => length === 2)
    await first.close()
    open.splice(0)
    await rig.post(name, ...Array.from({ length: 2_500 }, (_, n) => ({ n })))
    const second = await follow({ destination: name }, events.at(-1)!.id)
    await second.until((all) => new Set(all.map(({ data }) => data.id)).size >= 2_501)
    const had = new Set([...events, ...second.events].map(({ data }) => data.id))
    expect([...had].sort()).toEqual((await ids(name)).sort())
  })

  it('hears of what another node posts', async () => {
    const { name } = await target()
    const node = await startTestNode(rig.app, { MORTISE_ROLES: 'api' })
    try {
      const stream = await follow({ destination: name }, undefined, node)
      await rig.post(name, {})
      await stream.until((events) => events.length === 1)
      // A server that stops ends its streams.
      await node.stop()
      await stream.ended
    } finally {
      open.splice(0)
    }
  })

  it('looks for itself when it hears nothing', async () => {
    const { name } = await target()
    const stream = await follow({ destination: name })
    // Nobody is told: as if the notification had been lost.
    await sql`delete from watches`.execute(rig.app.app.services.database.system)
    await rig.post(name, {})
    await stream.until((events) => events.length === 1)
  })

  it('brings what becomes of a message, also where the notification of that was lost', async () => {
    const { name, id } = await target()
    const stream = await follow({ destination: name, signed: 'true' })
    await rig.post(name, { n: 1 })
    await stream.until((events) => events.length === 1)
    // As for a statement that ran before this node watched, and whose transaction ended after the first poll.
    await sql`delete from watches`.execute(rig.app.app.services.database.system)
    status = 204
    await rig.deliver(id)
    await stream.until((events) => events.length === 2)
    expect(stream.events.map(({ event, data }) => [event, data.state, data.attempts, data.body !== undefined])).toEqual(
      [
        ['message', 'pending', 0, true],
        ['state', 'delivered', 1, false],
      ],
    )
  })

  it('begins with what commits while it opens: in a transaction that began before', async () => {
    const { name, id } = await target()
    await rig.app.call('POST', `/projects/default/destinations/${name}:disable`)
    let commit = () => {}
    const wait = new Promise<void>((resolve) => {
      commit = resolve
    })
    let inserted = () => {}
    const begun = new Promise<void>((resolve) => {
      inserted = resolve
    })
    await sql`delete from watches`.execute(rig.app.app.services.database.system)
    const messageId = newId()
    const posted = rig.app.db.transaction(async (tx) => {
      await insertMessages(tx, [{ id: messageId, destinationName: name, kind: 'read', payload: Buffer.from('{}') }])
      inserted()
      await wait
    })
    await begun
    const resumed = await follow({ destination: id }, newId())
    const fresh = await follow({ destination: id })
    // Both have polled, and neither is notified.
    await rig.post(name, {})
    await Promise.all([resumed.until(({ length }) => length === 1), fresh.until(({ length }) => length === 1)])
    commit()
    await posted
    const isThere = (events: { data: Streamed }[]) => events.some(({ data }) => data.id === messageId)
    await resumed.until(isThere)
    await fresh.until(isThere)
  })

  it('goes on with what committed seconds after its id was made, while nobody listened', async () => {
    const { name } = await target()
    await rig.app.call('POST', `/projects/default/destinations/${name}:disable`)
    const first = await follow({ destination: name })
    await rig.post(name, {})
    const [event] = await first.until(({ length }) => length === 1)
    await first.close()
    open.splice(0)
    const [ms, made] = [8_000, timeOfId(event!.data.id).getTime()]
    const late = `${firstIdAt(new Date(made - ms)).slice(0, 13)}-7000-8000-${newId().slice(-12)}`
    await rig.app.db.transaction((tx) =>
      insertMessages(tx, [{ id: late, destinationName: name, kind: 'read', payload: Buffer.from('{}') }]),
    )
    const second = await follow({ destination: name }, event!.id)
    await second.until((events) => events.some(({ data }) => data.id === late))
  })

  it('of a destination that is not there is a 404, and there are at most twenty', async () => {
    expect((await rig.app.call('GET', '/projects/default/messages:stream?destination=nobody')).status).toBe(404)
    for (let n = 0; n < 20; n++) await follow()
    const answer = await rig.app.call<{ context: { code: string }; retryable: boolean }>(
      'GET',
      '/projects/default/messages:stream',
    )
    expect([answer.status, answer.body.context.code, answer.body.retryable]).toEqual([429, 'too-many-streams', true])
    await open.shift()!.close()
    const topic = messagesTopic(rig.app.projectId)
    await vi.waitFor(() => expect(rig.app.app.services.pubsub.subscriptions(topic)).toBe(19), 20_000)
    await follow()
  })

  it('that nobody follows costs no notification', async () => {
    const { database } = rig.app.app.services
    const client = await database.connect!()
    const heard: string[] = []
    client.on('notification', ({ payload = '' }) => heard.push(payload))
    await client.query(`listen "${messagesTopic(rig.app.projectId).channel}"`)
    const { name } = await target()
    await sql`delete from watches`.execute(database.system)
    await rig.post(name, {})
    await sql`insert into watches values (${messagesTopic(rig.app.projectId).channel}, ${newId()}, now() + interval '1 minute')`.execute(
      database.system,
    )
    await rig.post(name, ...Array.from({ length: 450 }, () => ({})))
    await vi.waitFor(() => expect(heard).toHaveLength(3), 20_000)
    const told = heard.flatMap((payload) => payload.split(' ')[1]?.split(',') ?? [])
    expect(told.sort()).toEqual((await ids(name)).slice(1).sort())
    await client.end()
  })
})
