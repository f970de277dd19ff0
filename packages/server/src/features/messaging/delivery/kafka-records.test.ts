import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
// biome-ignore-start lint/style/noRestrictedImports: the broker that the tests of the kind use.
import { login } from '../kinds/kafka/conformance.testkit.ts'
import { startFakeKafka } from '../kinds/kafka/fake-kafka.testkit.ts'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { cutDataMessages, type Message, type MessageReplay, replay } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'
import { readHeader } from './testing/read-header.ts'

/** A destination whose topic has a record for each record of a provider, in the service. */

let rig: DeliveryRig
let count = 0
const closing: (() => unknown)[] = []
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(() => rig?.app.stop())

const call = <T>(method: string, path: string, body?: unknown) =>
  rig.app.call<T>(method, `/projects/default/${path}`, body)

async function create(options: Partial<Parameters<typeof startFakeKafka>[0]> = {}) {
  const fake = await startFakeKafka({ topic: 'messages', ...login, ...options })
  closing.push(fake.stop)
  const name = `records-${count++}`
  const metadata = { brokers: `127.0.0.1:${fake.port}`, topic: 'messages', tls: false, layout: 'records' }
  const made = await call<{ id: string }>('POST', 'destinations', { name, type: 'kafka', metadata, secrets: login })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const { id } = made.body
  const key = (record: string) => `${header.installationId}:contacts:${record}`
  return {
    ...fake,
    id,
    key,
    keys: () => fake.records().map((one) => one.key),
    deliver: () => rig.deliver(id),
    /** Posts a page of records, as a read does. */
    post: (...records: object[]) => {
      const entries = records.map((one) => JSON.stringify(one))
      return rig.post(name, ...cutDataMessages(header, entries, { messageBytesMax: 300_000 }))
    },
    messages: async () => (await call<Message[]>('GET', `messages?destination=${name}`)).body,
    deadLetters: async () => (await call<{ id: string }[]>('GET', `dead-letters?destination=${name}`)).body,
  }
}

const header = { ...readHeader, objectName: 'people', rawObjectName: 'contacts' }
const record = (id: string, n: unknown = id) => ({ id, fields: { n } })

describe('records of a topic', () => {
  it('that are refused become dead letters alone, and have the same key when they are sent again', async () => {
    const to = await create()
    await to.post(record('1'), record('2', 'invalid'), record('3'))
    await to.deliver()
    expect(to.keys().toSorted()).toEqual([to.key('1'), to.key('3')])
    const whole = (await to.messages()).find(({ splitFrom }) => splitFrom === undefined)
    expect(whole).toMatchObject({ state: 'delivered', rejectedRecords: 1 })
    const [found, ...others] = await to.deadLetters()
    expect(others).toEqual([])

    await call('PATCH', `dead-letters/${found?.id}`, { records: [record('2', 'valid')] })
    const started = await call<MessageReplay>('POST', 'dead-letters:redrive', { deadLetterIds: [found?.id] })
    const work = { projectId: rig.app.projectId, replayId: started.body.id, signal: new AbortController().signal }
    await replay(rig.app.app.services, work)
    await to.deliver()
    expect(to.keys().slice(2)).toEqual([to.key('2')])
    expect(to.records().at(-1)?.headers['id']).toBe(`${found?.id}:0`)
    expect(await to.deadLetters()).toEqual([])
  })

  it('that are too large for a message are in the topic, not their URL', async () => {
    const to = await create()
    await to.post(record('1'), record('2', 'x'.repeat(400_000)), record('3'))
    await to.deliver()
    expect(to.keys().toSorted()).toEqual(['1', '2', '3'].map(to.key))
    const large = to.records().find(({ key }) => key === to.key('2'))
    expect(JSON.parse(large?.value ?? '')).toEqual({
      ...header,
      resultInfo: { type: 'inline', numRecords: 1 },
      result: [record('2', 'x'.repeat(400_000))],
    })
    expect((await to.messages()).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered'])
  })

  it('that are too large for the topic are dead letters', async () => {
    const to = await create({ batchBytesMax: 350_000 })
    await to.post(record('1'), record('2', 'x'.repeat(400_000)))
    await to.deliver()
    expect(to.keys()).toEqual([to.key('1')])
    expect(await to.deadLetters()).toMatchObject([{ reason: 'refused', error: expect.stringContaining('this size') }])
  })

  it('arrive again with the same ids and keys, when one of their partitions failed', async () => {
    const to = await create({ partitions: 2 })
    to.behave('refuses a partition once')
    await to.post(...Array.from({ length: 20 }, (_, at) => record(String(at))))
    await to.deliver()
    expect((await to.messages()).map(({ state }) => state)).toEqual(['pending'])
    const before = to.records().map((one) => [one.key, one.headers['id']])
    expect(before.length).toBeGreaterThan(0)
    to.behave('accept')
    await rig.pass(to.id, 10_000)
    await to.deliver()
    expect((await to.messages()).map(({ state, attempts }) => [state, attempts])).toEqual([['delivered', 2]])
    const all = to.records().map((one) => [one.key, one.headers['id']])
    expect(all.slice(before.length)).toEqual(expect.arrayContaining(before))
    expect(new Set(all.map(([key]) => key)).size).toBe(20)
    expect(new Set(all.map(([, id]) => id)).size).toBe(20)
  })

  it('do not change the test of a destination', async () => {
    const to = await create()
    const test = await call<{ delivered: boolean }>('POST', `destinations/${to.id}:test`)
    expect(test.body.delivered).toBe(true)
    expect(to.records()).toMatchObject([{ headers: { kind: 'notification', eventType: 'destination.test' } }])
    expect(to.keys()).toEqual([to.records()[0]?.headers['id']])
  })

  it('have settings whose errors are all in one response', async () => {
    const metadata = { brokers: 'x', topic: 'a b', layout: 'tables', tombstones: 'no' }
    const made = await call<{ issues: { name: string }[] }>('POST', 'destinations', {
      ...{ name: 'wrong', type: 'kafka', metadata },
    })
    expect(made.status).toBe(400)
    expect(made.body.issues.map(({ name }) => name)).toEqual([
      'metadata.brokers',
      'metadata.topic',
      'metadata.layout',
      'metadata.tombstones',
    ])
  })
})
