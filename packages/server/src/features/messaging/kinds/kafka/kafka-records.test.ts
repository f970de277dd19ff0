import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { testMessages } from '../conformance.testkit.ts'
import type { OutgoingMessage, StoredResult } from '../kind.ts'
import { recordBytesMax } from '../record-messages.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { startFakeRegistry } from './avro/fake-registry.testkit.ts'
import { kafka } from './index.ts'
import { message0, outcomes, record, startRecords } from './kafka-records.testkit.ts'

/** Destinations whose topic has a record for each record of a provider. */

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
const start = async (options: Parameters<typeof startRecords>[0] = {}) => {
  const started = await startRecords(options)
  closing.push(started.stop)
  return started
}

const installation = '0197b1c0-0000-7000-8000-00000000000f'

/** A message whose records are not in it. */
function apart(message: OutgoingMessage): OutgoingMessage {
  const { result: _, resultInfo: __, ...header } = JSON.parse(message.body.toString()) as Record<string, unknown>
  const resultInfo = { type: 'url', numRecords: 1, downloadUrl: 'https://mortise.example.com/results/1' }
  return { ...message, hasResult: true, body: Buffer.from(JSON.stringify({ ...header, resultInfo })) }
}
function stored(text: string): StoredResult {
  const bytes = Buffer.from(text)
  return { bytes: bytes.length, read: async (from, length) => bytes.subarray(from, from + length) }
}

describe('a record of the topic', () => {
  it('is a record of the provider, keyed by it, with a signature and an id of its message and position', async () => {
    const { send, secret, records, received, ids } = await start()
    const message = recordMessages()
    const batch = [message([record('1'), record('2')]), message([record('3')])]
    expect(await send(batch)).toMatchObject([
      { outcome: 'delivered', response: expect.any(Buffer) },
      { outcome: 'delivered' },
    ])
    const [first, second] = batch.map(({ id }) => id)
    expect(ids().toSorted()).toEqual([`${first}:0`, `${first}:1`, `${second}:0`])
    const byId = new Map(records().map((one) => [one.headers['id'], one]))
    expect(byId.get(`${first}:1`)).toMatchObject({
      key: `${installation}:contacts:2`,
      headers: { 'webhook-id': `${first}:1`, kind: 'read', project: 'project-1' },
    })
    expect(JSON.parse(byId.get(`${first}:1`)?.value ?? '')).toEqual({
      ...(JSON.parse(batch[0]?.body.toString() ?? '') as object),
      resultInfo: { type: 'inline', numRecords: 1 },
      result: [record('2')],
    })
    for (const { body, headers } of received()) expect(new Webhook(secret).verify(body, headers)).toBeTruthy()
  })

  it('has the bytes that the message has', async () => {
    const { send, records } = await start({ partitions: 1 })
    const entries = [
      '{"id":"1","fields":{"n":12345678901234567890,"d":1.0}}',
      '{"id":"2","fields":{"t":"a\\u0000 \\"],[{ \\\\","ü":"\\ud83d"}}',
      '{ "id" : "3" , "raw" : [ [ ] , { } ] }',
    ]
    const body = `{"groupName":"Says \\"resultInfo\\":{ and },\\"result\\":[","installationId":"i","objectName":"o","resultInfo":{"type":"inline","numRecords":3},"result":[${entries.join()}]}`
    expect(outcomes(await send([{ ...message0, body: Buffer.from(body) }]))).toEqual(['delivered'])
    expect(records().map(({ value }) => value?.slice(value.indexOf(',"result":[') + 11, -2))).toEqual(entries)
    expect(records().map(({ key }) => key)).toEqual(['i:o:1', 'i:o:2', 'i:o:3'])
  })

  it('has the same key and partition in every message, whatever the kind, the mapping and the size', async () => {
    const message = recordMessages()
    const large = apart(message([], { objectName: 'people', rawObjectName: 'contacts' }))
    const text = JSON.stringify([record('7', { fields: { text: 'x'.repeat(600_000) } })])
    const { send, records } = await start({ partitions: 7, results: { [large.id]: stored(text) } })
    const rest = Array.from({ length: 20 }, (_, at) => record(`other-${at}`))
    const of = (message: OutgoingMessage, more: object) => {
      const { resultInfo, result, ...header } = JSON.parse(message.body.toString()) as Record<string, unknown>
      return { ...message, body: Buffer.from(JSON.stringify({ ...header, ...more, resultInfo, result })) }
    }
    const batch = [
      message([record('7'), ...rest]),
      { ...of(message([record('7', { subscribeEventType: 'update' })]), { action: 'subscribe' }), kind: 'subscribe' },
      of(message([record('7')]), { objectName: 'people', rawObjectName: 'contacts' }),
      large,
    ]
    expect(outcomes(await send(batch))).toEqual(batch.map(() => 'delivered'))
    const found = records().filter(({ key }) => key === `${installation}:contacts:7`)
    expect(found).toHaveLength(4)
    expect(new Set(found.map(({ partition }) => partition)).size).toBe(1)
    expect(new Set(records().map(({ partition }) => partition)).size).toBeGreaterThan(3)
  })

  it('keeps the order of each key, over messages and several calls', async () => {
    const { send, records } = await start({ partitions: 5 })
    const message = recordMessages()
    const batchOf = (round: number) =>
      Array.from({ length: 30 }, (_, at) =>
        message(Array.from({ length: 9 }, (_, id) => record(String(id), { fields: { n: round * 30 + at } }))),
      )
    for (const round of [0, 1]) expect(outcomes(await send(batchOf(round)))).toEqual(Array(30).fill('delivered'))
    for (const of of Map.groupBy(records(), ({ key }) => key).values()) {
      const numbers = of.map(({ value }) => (JSON.parse(value ?? '') as Body).result[0]?.fields.n)
      expect(numbers).toEqual(Array.from({ length: 60 }, (_, n) => n))
    }
  })

  it('has the key that a template makes of it', async () => {
    const { send, keys } = await start({
      partitions: 1,
      settings: { partitionKeyTemplate: "join('/', [data.groupRef, data.result[0].id, data.result[0].fields.n])" },
    })
    await send([recordMessages()([record('1'), record('2', { fields: {} })])])
    expect(keys()).toEqual(['acme/1/1', `${installation}:contacts:2`])
  })

  it('has different keys for ids that look alike, none longer than 1,024 bytes', async () => {
    const { send, keys } = await start({ partitions: 1 })
    const long = 'ä'.repeat(900)
    const names = ['ü😀\u0000 "\\', long, `${long}x`, 'b:c', ' ', '__proto__']
    await send([recordMessages()(names.map((id) => record(id)))])
    const found = keys()
    expect(found.slice(3)).toEqual(['b:c', ' ', '__proto__'].map((id) => `${installation}:contacts:${id}`))
    expect(found[0]).toBe(`${installation}:contacts:${names[0]}`)
    expect(new Set(found).size).toBe(names.length)
    for (const key of found) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(1_024)
    expect(found[1]?.startsWith(`${installation}:contacts:ä`)).toBe(true)
    const { send: sendOther, keys: others } = await start({ partitions: 1 })
    const message = recordMessages()
    await sendOther([message([record('c')], { objectName: 'a:b' }), message([record('b:c')], { objectName: 'a' })])
    expect(new Set(others()).size).toBe(2)
  })

  it('without a text as its id has the key of the installation', async () => {
    const { send, keys } = await start({ partitions: 1 })
    const entries = [{ id: '' }, { id: 7 }, { id: { a: 1 } }, { id: null }, { fields: {} }, null, 5, 'x']
    expect(outcomes(await send([recordMessages()(entries as object[])]))).toEqual(['delivered'])
    expect(keys()).toEqual(entries.map(() => installation))
  })

  it('is a message where that has no records', async () => {
    const { send, received, keys } = await start({ partitions: 1 })
    const message = recordMessages()
    const watch = { ...message([{ objectName: 'contacts' }], { action: 'schema.watch' }), kind: 'schema.watch' }
    const { body: other } = message([record('1')])
    const batch = [
      testMessages('x')[0] as OutgoingMessage,
      watch,
      message([]),
      { ...message([]), body: Buffer.from('{"text":"x"}') },
      { ...message([]), kind: 'notification', eventType: 'read.completed', body: other },
      { ...message([]), body: Buffer.from('not JSON,"resultInfo":{"type":"inline"},"result":[{}]}') },
    ]
    expect(outcomes(await send(batch))).toEqual(batch.map(() => 'delivered'))
    expect(received().map(({ id, body }) => [id, body])).toEqual(batch.map(({ id, body }) => [id, body.toString()]))
    expect(keys()).toHaveLength(batch.length)
    expect(keys()[2]).toBe(installation)
  })
})

interface Body {
  result: { fields: { n: number } }[]
}

describe('a large record', () => {
  const message = apart(recordMessages()([record('1')]))

  it('that is not in its message is in its record of the topic, and a list of them in several', async () => {
    const entries = [record('1', { raw: 'x'.repeat(700_000) }), record('2', { raw: '😀"],['.repeat(99_999) })]
    const { send, secret, received, records } = await start({
      partitions: 1,
      results: { [message.id]: stored(JSON.stringify(entries)) },
    })
    expect(outcomes(await send([message]))).toEqual(['delivered'])
    const bodies = records().map(({ value }) => JSON.parse(value ?? '') as object)
    expect(bodies).toMatchObject(
      entries.map((entry) => ({ resultInfo: { type: 'inline', numRecords: 1 }, result: [entry] })),
    )
    expect(JSON.stringify(bodies)).not.toContain('downloadUrl')
    for (const { body, headers } of received()) expect(new Webhook(secret).verify(body, headers)).toBeTruthy()
  })

  it('that is not kept any more is refused, also if that happens while it is read', async () => {
    const { send, ids } = await start()
    expect(await send([message])).toMatchObject([{ outcome: 'refused', error: expect.stringContaining('not kept') }])
    const lost = { bytes: 600_000, read: async (from: number) => (from === 0 ? Buffer.alloc(2 ** 18) : undefined) }
    const other = await start({ results: { [message.id]: lost } })
    expect(await other.send([message])).toMatchObject([{ outcome: 'refused' }])
    expect([...ids(), ...other.ids()]).toEqual([])
  })

  it('that is larger than any topic takes is refused, and the others of its list are sent', async () => {
    const entries = [record('1'), record('2', { raw: 'x'.repeat(recordBytesMax) }), record('3')]
    const { send, ids } = await start({
      partitions: 1,
      results: { [message.id]: stored(JSON.stringify(entries)) },
    })
    expect(await send([message])).toMatchObject([
      {
        outcome: 'delivered',
        rejected: [{ entries: [1], outcome: 'refused', error: 'The record is larger than 16 MiB.' }],
      },
    ])
    expect(ids()).toEqual([`${message.id}:0`, `${message.id}:2`])
  })
})

describe('a tombstone', () => {
  const deletions = [
    record('1'),
    { id: '1', deleted: true },
    { id: '2', subscribeEventType: 'delete' },
    { deleted: true },
  ]

  it('follows the record that says that a record was deleted', async () => {
    const { send, records } = await start({ partitions: 1, settings: { tombstones: true } })
    const message = recordMessages()(deletions)
    expect(outcomes(await send([message]))).toEqual(['delivered'])
    const key = (id: string) => `${installation}:contacts:${id}`
    expect(records().map((one) => [one.key, one.value === null, one.headers['id']])).toEqual([
      [key('1'), false, `${message.id}:0`],
      [key('1'), false, `${message.id}:1`],
      [key('1'), true, `${message.id}:1:tombstone`],
      [key('2'), false, `${message.id}:2`],
      [key('2'), true, `${message.id}:2:tombstone`],
      [installation, false, `${message.id}:3`],
    ])
  })

  it('is not sent without the setting', async () => {
    const { send, records } = await start({ partitions: 1 })
    await send([recordMessages()(deletions)])
    expect(records().filter(({ value }) => value === null)).toEqual([])
  })
})

describe('Avro', () => {
  it('has a record of the provider in each record, and no value in a tombstone', async () => {
    const registry = await startFakeRegistry({ username: 'mortise', password: 'r3gistry' })
    closing.push(registry.stop)
    const avro = { format: 'avro', schemaRegistryUrl: registry.url }
    const secrets = { registryUsername: 'mortise', registryPassword: 'r3gistry' }
    const { send, values, records } = await start({
      partitions: 1,
      settings: { ...avro, ...secrets, tombstones: true },
    })
    const message = recordMessages()([record('1', { fields: { size: 1 } }), { id: '2', deleted: true }])
    expect(outcomes(await send([message, ...testMessages('x')]))).toEqual(['delivered', 'delivered'])
    expect(records().map(({ key }) => key)).toEqual([
      ...['1', '2', '2'].map((id) => `${installation}:contacts:${id}`),
      testMessages('x')[0]?.id,
    ])
    const [first, second, tombstone, other] = values()
    expect(registry.decode(first)).toMatchObject({
      numRecords: 1,
      downloadUrl: null,
      result: [{ _mortise_id: '1', size: 1 }],
    })
    expect(registry.decode(second)).toMatchObject({ result: [{ _mortise_id: '2', _mortise_deleted: true }] })
    expect(tombstone).toHaveLength(0)
    expect(registry.decode(other)).toMatchObject({ kind: 'notification' })
    expect([...registry.subjects.keys()]).toEqual(['messages-mortise.crm.contacts', 'messages-mortise.Message'])
  })
})

describe('settings', () => {
  const read = (input: object) =>
    kafka.readSettings({ brokers: 'kafka.example.com:9093', topic: 'messages', ...input }, 'metadata', {
      guard: createAddressGuard({ allow: parseAllowedNetworks('') }),
    })

  it.each([
    [{ layout: 'records', tombstones: true }, []],
    [{ layout: 'records' }, []],
    [{ layout: 'messages' }, []],
    [{ layout: 'tables' }, ['layout']],
    [{ layout: 1, tombstones: 'yes' }, ['layout', 'tombstones']],
    [{ layout: 'messages', tombstones: false }, ['tombstones']],
    [{ tombstones: true }, ['tombstones']],
  ])('%j have these issues: %j', (input, names) => {
    expect(read(input).issues.map(({ name }) => name)).toEqual(names.map((name) => `metadata.${name}`))
  })
})
