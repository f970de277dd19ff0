import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startWebhookReceiver, type WebhookReceiver } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstIdAt, newId, timeOfId } from '../../../kernel/db/index.ts'
import type { Message, MessageAttempt } from '../messages/index.ts'
import { type MessageFilter, messagesQuery } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'
import { vacuumMessages } from './testing/vacuum-messages.ts'

let rig: DeliveryRig
let receiver: WebhookReceiver
let url: string
beforeAll(async () => {
  rig = await startDeliveryRig()
  receiver = await startWebhookReceiver({ respond: () => ({ status: 503, body: 'not now' }) })
  url = receiver.url
})
afterAll(async () => {
  await receiver?.close()
  await rig?.app.stop()
})

const base = '/projects/default/messages'

interface Values {
  id: string
  destinationId: string | null
  name: string
  kind: string
  state: string
  eventType: string | null
  installationId: string | null
  operationId: string | null
  payload: string
}

/** Puts messages where they are found as if they had been posted. */
async function insert(...messages: Partial<Values>[]): Promise<string[]> {
  const ids: string[] = []
  for (const message of messages) {
    const m: Values = {
      id: newId(),
      destinationId: null,
      name: 'nowhere',
      kind: 'read',
      state: 'delivered',
      eventType: null,
      installationId: null,
      operationId: null,
      payload: '{}',
      ...message,
    }
    const payload = Buffer.from(m.payload)
    await sql`
      insert into messages (project_id, id, destination_id, destination_name, kind, event_type, installation_id, operation_id, state, payload, payload_bytes)
      values (${rig.app.projectId}, ${m.id}, ${m.destinationId}, ${m.name}, ${m.kind}, ${m.eventType}, ${m.installationId}, ${m.operationId}, ${m.state}, ${payload}, ${payload.length})`.execute(
      rig.app.db.sql,
    )
    ids.unshift(m.id)
  }
  return ids
}
const list = async (query: Record<string, string>) => {
  const answer = await rig.app.call<Message[]>('GET', `${base}?${new URLSearchParams(query)}`)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return { ids: answer.body.map(({ id }) => id), headers: answer.headers, messages: answer.body }
}

describe('the list of messages', () => {
  it('is filtered by each of its filters, and by several together, newest first', async () => {
    const destination = await rig.create(url)
    const [installationId, operationId] = [newId(), newId()]
    const to = { destinationId: destination.id, name: destination.name }
    const mine = await insert(
      { ...to, state: 'failed', installationId, operationId },
      { ...to, state: 'delivered', installationId },
      { ...to, state: 'pending', kind: 'notification', eventType: 'test.of.lists' },
    )
    const [notification, delivered, failed] = mine as [string, string, string]
    expect((await list({ destination: destination.id })).ids).toEqual(mine)
    expect((await list({ destination: destination.name })).ids).toEqual(mine)
    expect((await list({ installationId })).ids).toEqual([delivered, failed])
    expect((await list({ operationId })).ids).toEqual([failed])
    expect((await list({ eventType: 'test.of.lists' })).ids).toEqual([notification])
    expect((await list({ kind: 'notification' })).ids).toEqual([notification])
    expect((await list({ state: 'failed' })).ids).toEqual([failed])
    expect((await list({ state: 'failed', destination: destination.name, installationId })).ids).toEqual([failed])
    expect((await list({ state: 'delivered', kind: 'notification' })).ids).toEqual([])
    expect((await list({ installationId: 'no-id' })).ids).toEqual([])
  })

  it('goes by the time of posting', async () => {
    const at = (text: string) => v7({ msecs: Date.parse(text) })
    const [third, second, first] = (await insert(
      { id: at('2026-02-01T10:00:00.000Z') },
      { id: at('2026-02-01T11:00:00.000Z') },
      { id: at('2026-02-03T00:00:00.000Z') },
    )) as [string, string, string]
    const [createdAfter, createdBefore] = ['2026-02-01T11:00:00Z', '2026-02-03T00:00:00Z']
    expect((await list({ createdBefore })).ids).toEqual([second, first])
    expect((await list({ createdAfter, createdBefore: '2026-02-04T00:00:00Z' })).ids).toEqual([third, second])
    expect((await list({ createdAfter, createdBefore })).ids).toEqual([second])
  })

  it('shows what is held for a name that no destination has, and what went to one that was deleted', async () => {
    const [held] = await insert({ name: 'not-yet', state: 'pending' })
    expect((await list({ destination: 'not-yet' })).ids).toEqual([held])
    const gone = newId()
    const [was] = await insert({ name: 'gone', destinationId: gone })
    expect((await list({ destination: gone })).ids).toEqual([was])
  })

  it('is never whole: a page of a hundred leads to the next, whatever comes meanwhile', async () => {
    const operationId = newId()
    const all = await insert(...Array.from({ length: 230 }, () => ({ operationId })))
    const first = await list({ operationId })
    expect(first.ids).toEqual(all.slice(0, 100))
    await insert({ operationId })
    const pageToken = first.headers.get('x-next-page-token') ?? ''
    const second = await list({ operationId, pageToken })
    expect(second.ids).toEqual(all.slice(100, 200))
    const third = await list({ operationId, pageToken: second.headers.get('x-next-page-token') ?? '' })
    expect(third.ids).toEqual(all.slice(200))
    expect(third.headers.get('link')).toBeNull()
    expect((await list({ operationId, pageSize: '7' })).ids).toHaveLength(7)
  })

  it('shows nothing of another project, and no payload', async () => {
    const [id] = await insert({ payload: '{"secret":"of the list"}' })
    const { messages } = await list({ pageSize: '5' })
    expect(messages.find((message) => message.id === id)).toEqual({
      id,
      destinationName: 'nowhere',
      kind: 'read',
      state: 'delivered',
      attempts: 0,
      bytes: 24,
      createTime: expect.any(String),
    })
    const theirs = await rig.app.call('GET', `/projects/${rig.app.otherProject.id}/messages`, undefined, {
      apiKey: rig.app.otherProject.apiKey,
    })
    expect([theirs.status, theirs.body]).toEqual([200, []])
  })

  it.each([
    { state: 'lost' },
    { kind: 'letter' },
    { createdAfter: 'yesterday' },
    { pageSize: '0' },
    { pageToken: 'nonsense' },
  ])('refuses %j', async (query) => {
    const answer = await rig.app.call<{ issues: { in: string; name: string }[] }>(
      'GET',
      `${base}?${new URLSearchParams(query as never)}`,
    )
    expect(answer.status).toBe(400)
    expect(answer.body.issues).toMatchObject([{ in: 'query', name: Object.keys(query)[0] }])
  })

  it('costs what it finds: behind thousands of messages that a filter leaves out, none of them is read', async () => {
    const [installationId, operationId] = [newId(), newId()]
    const destination = await rig.create(url)
    await insert(
      { installationId, operationId, kind: 'notification', eventType: 'rare', destinationId: destination.id },
      { state: 'failed', destinationId: destination.id },
      { state: 'discarded' },
      { name: 'rare-name', state: 'pending' },
    )
    const many = Array.from({ length: 4_000 }, () => newId())
    await sql`
      insert into messages (project_id, id, destination_id, destination_name, kind, installation_id, operation_id, state, payload, payload_bytes)
      select ${rig.app.projectId}, id, ${newId()}, 'many', 'read', ${newId()}, ${newId()}, 'delivered', '', 0
        from unnest(${many}::uuid[]) id`.execute(rig.app.db.sql)
    // A new day has no statistics yet, and most of its messages are delivered: they are not sorted.
    const [early] = await messagesQuery(rig.app.db, { state: 'delivered' }, 10).explain('json', sql`analyze`)
    expect(JSON.stringify(early)).not.toContain('"Node Type":"Sort"')
    await vacuumMessages(rig.app.testDatabase.url)
    const filters: Record<string, MessageFilter> = {
      destination: { destination: { id: destination.id } },
      name: { destination: { destinationName: 'rare-name' } },
      state: { state: 'discarded' },
      failed: { state: 'failed' },
      pending: { state: 'pending' },
      failures: { state: 'failed', destination: { id: destination.id } },
      kind: { kind: 'notification' },
      event: { eventType: 'rare' },
      installation: { installationIds: [installationId] },
      'installations of a group': { installationIds: [installationId, newId()], state: 'failed' },
      operation: { operationId },
      time: { below: many[0] },
    }
    for (const [name, filter] of Object.entries(filters)) {
      const [row] = await messagesQuery(rig.app.db, filter, 10).explain('json', sql`analyze`)
      const plan = JSON.stringify(row)
      const dropped = [...plan.matchAll(/"Rows Removed by Filter":(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0)
      expect(plan, name).toContain('"Actual Rows"')
      expect(dropped, `${name}: ${plan}`).toBeLessThan(300)
    }
  })
})

describe('a message', () => {
  it('is shown with its payload as JSON, or as text where it is none', async () => {
    const [json] = await insert({ payload: '{"n":[1,{"a":"ü"}]}' })
    const got = await rig.app.call<Message & { payload: unknown }>('GET', `${base}/${json}`)
    expect([got.status, got.body.payload]).toEqual([200, { n: [1, { a: 'ü' }] }])
    const [text] = await insert({ payload: 'hello' })
    expect((await rig.app.call('GET', `${base}/${text}`)).body['payload']).toBe('hello')
  })

  it('with a result too large for it brings a URL that works', async () => {
    const destination = await rig.create(url)
    const payload = Buffer.from('{"resultInfo":{"type":"url","numRecords":1,"downloadUrl":""}}')
    await rig.post(destination.name, { payload, result: Buffer.from('[{"n":1}]') })
    const { ids } = await list({ destination: destination.id })
    const got = await rig.app.call<{ payload: { resultInfo: { downloadUrl: string } } }>('GET', `${base}/${ids[0]}`)
    const path = new URL(got.body.payload.resultInfo.downloadUrl)
    const result = await rig.app.call('GET', `/${path.pathname}${path.search}`, undefined, { apiKey: null })
    expect([result.status, result.body]).toEqual([200, [{ n: 1 }]])
  })

  it('has a new URL for a consumer that reads it from a queue after the first one expired', async () => {
    const arrived: { body: string; id: string }[] = []
    const accepting = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        arrived.push({ body, id: String(request.headers['webhook-id']) })
        response.writeHead(204).end()
      })
    }).listen(0, '127.0.0.1')
    await once(accepting, 'listening')
    const destination = await rig.create(`http://127.0.0.1:${(accepting.address() as AddressInfo).port}/`)
    const payload = Buffer.from('{"resultInfo":{"type":"url","numRecords":1,"downloadUrl":""}}')
    await rig.post(destination.name, { payload, result: Buffer.from('[{"n":1}]') })
    await rig.deliver(destination.id)
    const download = async (text: string) => {
      const { pathname, search } = new URL(text)
      const { status, body } = await rig.app.call('GET', `/${pathname}${search}`, undefined, { apiKey: null })
      return { status, body }
    }
    const first = JSON.parse(arrived[0]?.body ?? '{}') as { resultInfo: { downloadUrl: string } }
    expect(await download(first.resultInfo.downloadUrl)).toMatchObject({ status: 200 })
    const now = rig.app.clock.now()
    rig.app.clock.advance(3_600_000)
    expect(await download(first.resultInfo.downloadUrl)).toMatchObject({ status: 410 })
    const path = `${base}/${arrived[0]?.id}`
    const { body } = await rig.app.call<{ state: string; payload: typeof first }>('GET', path)
    expect(body.state).toBe('delivered')
    expect(await download(body.payload.resultInfo.downloadUrl)).toEqual({ status: 200, body: [{ n: 1 }] })
    rig.app.clock.set(now)
    accepting.close()
  })

  it('shows its attempts in their order, a page at a time', async () => {
    const destination = await rig.create(url)
    await rig.post(destination.name, {})
    for (let n = 0; n < 3; n++) {
      await rig.deliver(destination.id)
      await rig.pass(destination.id, 3_600_000)
    }
    const { messages } = await list({ destination: destination.id })
    expect(messages[0]).toMatchObject({ state: 'pending', attempts: 3, nextAttemptTime: expect.any(String) })
    const path = `${base}/${messages[0]?.id}/attempts`
    const all = await rig.app.call<MessageAttempt[]>('GET', path)
    expect(all.body.map(({ number }) => number)).toEqual([1, 2, 3])
    expect(all.body[0]).toEqual({
      number: 1,
      status: 503,
      response: 'not now',
      error: expect.any(String),
      durationMs: expect.any(Number),
      destinationId: destination.id,
      createTime: expect.any(String),
    })
    const first = await rig.app.call<MessageAttempt[]>('GET', `${path}?pageSize=2`)
    expect(first.body).toHaveLength(2)
    const pageToken = first.headers.get('x-next-page-token')
    const rest = await rig.app.call<MessageAttempt[]>('GET', `${path}?pageSize=2&pageToken=${pageToken}`)
    expect(rest.body.map(({ number }) => number)).toEqual([3])
  })

  it('of nobody and of another project is the same 404', async () => {
    const [id] = await insert({})
    const { id: otherId, apiKey } = rig.app.otherProject
    for (const path of [`${base}/${newId()}`, `${base}/no-id`, `${base}/${newId()}/attempts`])
      expect((await rig.app.call('GET', path)).status).toBe(404)
    for (const path of [`/projects/${otherId}/messages/${id}`, `/projects/${otherId}/messages/${id}/attempts`])
      expect((await rig.app.call('GET', path, undefined, { apiKey })).status).toBe(404)
  })
})

it('a time and the ids of messages say the same', () => {
  const time = new Date('2026-03-04T05:06:07.891Z')
  const id = v7({ msecs: time.getTime() })
  expect(timeOfId(id)).toEqual(time)
  expect(id > firstIdAt(time)).toBe(true)
  expect(id < firstIdAt(new Date(time.getTime() + 1))).toBe(true)
})
