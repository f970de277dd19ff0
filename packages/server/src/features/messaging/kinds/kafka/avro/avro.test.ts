import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../../kernel/net/index.ts'
import { namesAt, openForTest, testMessages } from '../../conformance.testkit.ts'
import { recordMessages } from '../../tables/record-message.testkit.ts'
import { login as atBroker } from '../conformance.testkit.ts'
import { startFakeKafka } from '../fake-kafka.testkit.ts'
import { kafka } from '../index.ts'
import { failures, startFakeRegistry } from './fake-registry.testkit.ts'
import { avroName } from './names.ts'
import { fieldsMax } from './object-schema.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const login = { username: 'mortise', password: 'r3gistry-pa$sword' }
type Options = Parameters<typeof openForTest>[2]

/** A broker, a registry, and a function that opens a sender of another node. */
async function start({ strategy }: { strategy?: 'record' } = {}) {
  const broker = await startFakeKafka({ topic: 'crm', ...atBroker })
  const registry = await startFakeRegistry(login)
  closing.push(broker.stop, registry.stop)
  const settings = {
    ...{ brokers: `127.0.0.1:${broker.port}`, topic: 'crm', tls: false, ...atBroker },
    ...{ format: 'avro', schemaRegistryUrl: `${registry.url}/`, ...(strategy && { subjectNameStrategy: strategy }) },
    ...{ registryUsername: login.username, registryPassword: login.password },
  }
  const open = (options?: Options) => {
    const opened = openForTest(kafka, settings, options)
    closing.push(opened.close)
    return opened
  }
  return { broker, registry, open, last: <T = Message>() => registry.decode<T>(broker.values().at(-1)) }
}

interface Message {
  groupRef: string
  rawObjectName: string | null
  numRecords: number
  result: Record<string, unknown>[]
}
const subject = 'crm-mortise.crm.contacts'
const posts = ({ requests }: { requests: string[] }) => requests.filter((one) => one.startsWith('POST'))
const outcomes = (results: readonly { outcome: string }[]) => results.map(({ outcome }) => outcome)

describe('a message', () => {
  it('is a record whose fields have the types that the provider declares', async () => {
    const { open, last, registry } = await start()
    const fieldTypes = async () => [
      { field: 'size', valueType: 'int' as const },
      { field: 'born', valueType: 'date' as const },
      { field: 'seen', valueType: 'datetime' as const },
      { field: 'score', valueType: 'float' as const },
    ]
    const message = recordMessages()
    const fields = { size: -7, born: '1969-12-31', seen: '2026-01-31T12:00:00.5+01:00', score: 3, empty: null }
    const more = { mappedFields: { email: 'a@b.c', isNew: true, tags: ['x', { y: 1 }] }, raw: { Id: 1 } }
    await open({ fieldTypes }).send([message([{ id: '1', fields, ...more }], { rawObjectName: 'Contact' })])
    expect(last()).toMatchObject({ groupRef: 'acme', rawObjectName: 'Contact', numRecords: 1 })
    expect(last().result).toEqual([
      {
        ...{ _mortise_id: '1', _mortise_event: null, _mortise_deleted: false, _mortise_raw: '{"Id":1}' },
        ...{ _mortise_more: {}, size: -7, born: -1, seen: Date.parse('2026-01-31T11:00:00.5Z'), score: 3 },
        ...{ email: 'a@b.c', isNew: true, tags: '["x",{"y":1}]' },
      },
    ])
    const record = JSON.stringify(registry.schemaOf(1))
    expect(record).toContain('{"name":"seen","type":["null",{"type":"long","logicalType":"timestamp-millis"}],')
    expect([...registry.subjects.keys()]).toEqual([subject])
  })

  it('has deletions, events, and what else an entry says', async () => {
    const { open, last } = await start()
    const message = recordMessages()
    const associations = { company: [{ id: '7' }] }
    await open().send([
      message([
        { id: '1', deleted: true },
        { id: '2', subscribeEventType: 'delete', rawEvent: { a: 1 } },
        { id: '3', fields: { a: 1 }, associations },
      ]),
    ])
    expect(last().result).toMatchObject([
      { _mortise_id: '1', _mortise_deleted: true, a: null },
      { _mortise_event: 'delete', _mortise_deleted: true, _mortise_more: { rawEvent: '{"a":1}' } },
      { a: 1, _mortise_more: { associations: JSON.stringify(associations) } },
    ])
  })

  it('has names that Avro allows, each different, and says what they were', async () => {
    const { open, last, registry } = await start()
    const names = ['Full name', 'Full_name', 'full-name', '1st', '_mortise_id', 'größe', '__proto__', 'constructor', '']
    const fields = Object.fromEntries(names.map((name, at) => [name, at]))
    await open().send([recordMessages()([{ id: '1', fields: JSON.parse(JSON.stringify(fields)) }])])
    const [{ _mortise_id: id, ...result } = {}] = last().result
    expect(id).toBe('1')
    for (const [at, name] of names.entries()) expect(result[avroName(name)], name).toBe(at)
    expect(new Set(names.map(avroName)).size).toBe(names.length)
    expect(JSON.stringify(registry.schemaOf(1))).toContain('"doc":"Full name"')
  })

  it('is signed by the bytes of its value', async () => {
    const { open, broker } = await start()
    const { send, secret } = open()
    await send([recordMessages()([{ id: '1', fields: { a: 1 } }])])
    const [value, received] = [broker.values().at(-1) ?? Buffer.alloc(0), broker.received().at(-1)]
    const headers = received?.headers ?? {}
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const mac = createHmac('sha256', key).update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`)
    expect(headers['webhook-signature']).toBe(`v1,${mac.update(value).digest('base64')}`)
  })

  it('without records is its text', async () => {
    const { open, last, registry } = await start({ strategy: 'record' })
    await open().send(testMessages('hello'))
    expect(last()).toEqual({ kind: 'notification', eventType: 'destination.test', message: '{"text":"hello"}' })
    expect([...registry.subjects.keys()]).toEqual(['mortise.Message'])
  })

  it('keeps every number and text that JSON has', async () => {
    const { open, last } = await start()
    // Beyond these, the decoder of the tests refuses a long.
    const numbers = [
      0,
      -1,
      63,
      -64,
      64,
      2 ** 30 - 1,
      2 ** 30,
      -(2 ** 30),
      2 ** 31,
      -(2 ** 53 - 2),
      2 ** 53 - 2,
      1.5e300,
      -0.1,
    ]
    const texts = ['', 'ä€😀', 'x'.repeat(5_000), '\u0000']
    const fieldTypes = async () => [{ field: 'whole', valueType: 'int' as const }]
    const entries = [
      ...numbers.map((number, at) => ({ id: `n${at}`, fields: { number, whole: Math.trunc(number % 2 ** 53) } })),
      ...texts.map((text, at) => ({ id: `t${at}`, fields: { text } })),
    ]
    await open({ fieldTypes }).send([recordMessages()(entries)])
    const { result } = last()
    expect(result.slice(0, numbers.length).map(({ number }) => number)).toEqual(numbers)
    expect(result.slice(numbers.length).map(({ text }) => text)).toEqual(texts)
    expect(result[numbers.indexOf(2 ** 53 - 2)]?.['whole']).toBe(2 ** 53 - 2)
  })
})

describe('a schema', () => {
  it('is registered once, and other nodes use it as it is', async () => {
    const { open, registry, broker } = await start()
    const message = recordMessages()
    const one = open()
    for (let count = 0; count < 3; count++) await one.send([message([{ id: '1', fields: { a: 1 } }])])
    expect(registry.requests).toEqual([
      `GET /subjects/${subject}/versions/latest`,
      `POST /subjects/${subject}/versions`,
    ])
    registry.behave('reorders')
    await open().send([message([{ id: '1', fields: { a: 2 } }])])
    expect(posts(registry)).toHaveLength(1)
    expect(broker.values()).toHaveLength(4)
    expect(new Set(broker.values().map((value) => value.readUInt32BE(1)))).toEqual(new Set([1]))
  })

  it('gets a new field, and its readers still read what was written before', async () => {
    const { open, registry, broker, last } = await start()
    const message = recordMessages()
    const [one, other] = [open(), open()]
    await one.send([message([{ id: '1', fields: { a: 'x' } }])])
    await other.send([message([{ id: '1', fields: { a: 'y', b: 1 } }])])
    await one.send([message([{ id: '1', fields: { a: 'z', c: true } }])])
    expect(last().result).toMatchObject([{ a: 'z', b: null, c: true }])
    expect(registry.subjects.get(subject)).toEqual([1, 2, 3])
    // A node that knows the first version goes on with it while no record has more.
    expect(registry.decode<Message>(broker.values()[0]).result).toMatchObject([{ a: 'x' }])
  })

  it('keeps the type of a field, and what does not fit is not lost', async () => {
    const { open, last, registry } = await start()
    const message = recordMessages()
    const { send } = open()
    await send([message([{ id: '1', fields: { size: 1, name: 'x' } }])])
    await send([message([{ id: '1', fields: { size: 'large', name: 5 } }])])
    expect(last().result).toMatchObject([{ size: null, name: '5', _mortise_more: { size: '"large"' } }])
    expect(registry.subjects.get(subject)).toEqual([1])
  })

  it('has a limit, and the values of other fields are kept', async () => {
    const { open, last, registry } = await start()
    const fields = Object.fromEntries(Array.from({ length: fieldsMax + 500 }, (_, n) => [`f${n}`, n]))
    const { send } = open()
    await send([recordMessages()([{ id: '1', fields }])])
    const more = last().result[0]?.['_mortise_more'] as object
    expect(Object.keys(more)).toHaveLength(500)
    await send([recordMessages()([{ id: '1', fields }])])
    expect(registry.requests).toHaveLength(2)
  })

  it('keeps a field that somebody else added', async () => {
    const { open, registry, last } = await start()
    const message = recordMessages()
    await open().send([message([{ id: '1', fields: { a: 1 } }])])
    const schema = registry.schemaOf(1) as { fields: { name: string; type: { items: { fields: object[] } } }[] }
    const items = schema.fields.find(({ name }) => name === 'result')?.type.items.fields
    items?.push({ name: 'b', type: ['null', 'bytes'], default: null })
    expect(registry.add(subject, schema).status).toBe(200)
    await open().send([message([{ id: '1', fields: { b: 'x', c: 1 } }])])
    expect(last().result).toMatchObject([{ b: null, c: 1, _mortise_more: { b: '"x"' } }])
  })

  it('of somebody else is left alone, says what to do, and stops no other object', async () => {
    const { open, registry, broker } = await start()
    registry.add(subject, { type: 'record', name: 'theirs', fields: [] })
    const message = recordMessages()
    const entries = [{ id: '1', fields: { a: 1 } }]
    const results = await open().send([message(entries), message(entries, { objectName: 'deals' })])
    expect(outcomes(results)).toEqual(['retry', 'delivered'])
    expect(results[0]?.error).toContain(`a schema for ${subject} that Mortise cannot continue. Delete the subject`)
    expect(broker.values()).toHaveLength(1)
  })

  it('that is not compatible says so, and the next attempt asks again', async () => {
    const { open, registry } = await start()
    const message = recordMessages()([{ id: '1', fields: { a: 1 } }])
    const { send } = open()
    registry.behave('incompatible')
    const [result] = await send([message])
    expect(result).toMatchObject({ outcome: 'retry', status: 409, error: expect.stringContaining(subject) })
    expect(result?.error).toContain('BACKWARD')
    registry.behave('accept')
    expect(outcomes(await send([message]))).toEqual(['delivered'])
  })
})

describe('a registry', () => {
  it.each(Object.entries(failures))('that %s delays the messages', async (behavior, error) => {
    const { open, registry, broker } = await start()
    registry.behave(behavior)
    const message = recordMessages()
    const batch = ['contacts', 'deals', 'tasks'].map((objectName) =>
      message([{ id: '1', fields: { a: 1 } }], { objectName }),
    )
    const results = await open().send(batch, { timeoutMs: 1_000 })
    expect(outcomes(results)).toEqual(['retry', 'retry', 'retry'])
    for (const one of results) expect(one.error).toContain(error)
    expect(broker.values()).toEqual([])
    registry.behave('accept')
    expect(outcomes(await open().send(batch))).toEqual(['delivered', 'delivered', 'delivered'])
  })

  it('that is down or hangs is asked once for all messages', async () => {
    const { open, registry } = await start()
    registry.behave('hangs')
    const message = recordMessages()
    const batch = ['contacts', 'deals'].map((objectName) => message([{ id: '1' }], { objectName }))
    await open().send(batch, { timeoutMs: 600 })
    expect(registry.requests).toHaveLength(1)
  })

  it('at a private address is not asked', async () => {
    const { open, registry } = await start()
    const opened = open({ allow: '' })
    const [result] = await opened.send([recordMessages()([{ id: '1' }])])
    expect(result).toMatchObject({ outcome: 'retry', error: expect.stringContaining('127.0.0.1') })
    expect(registry.requests).toEqual([])
  })

  it('that echoes the credentials is not recorded', () => {
    const settings = { brokers: 'a.example.com:9093', topic: 't', registryUsername: 'u', registryPassword: 'p' }
    expect(kafka.secretsOf(settings)).toContain(Buffer.from('u:p').toString('base64'))
  })
})

describe('settings', () => {
  const guard = createAddressGuard({ allow: parseAllowedNetworks('') })
  const broker = { brokers: 'kafka.example.com:9093', topic: 'crm' }
  const issues = (input: object) =>
    kafka.readSettings({ ...broker, ...input }, 'metadata', { guard }).issues.map(({ name }) => name.slice(9))
  const schemaRegistryUrl = 'https://schemas.example.com'

  it.each([
    [{ format: 'avro' }, ['schemaRegistryUrl']],
    [{ format: 'xml' }, ['format']],
    [{ schemaRegistryUrl, registryUsername: 'u' }, ['schemaRegistryUrl', 'registryUsername', 'registryPassword']],
    [{ format: 'json', subjectNameStrategy: 'record' }, ['subjectNameStrategy']],
    [{ format: 'avro', schemaRegistryUrl: 'https://10.1.2.3' }, ['schemaRegistryUrl']],
    [{ format: 'avro', schemaRegistryUrl: 'https://user:pw@schemas.example.com' }, ['schemaRegistryUrl']],
    [{ format: 'avro', schemaRegistryUrl: 'https://schemas.example.com/?a=b' }, ['schemaRegistryUrl']],
    [{ format: 'avro', schemaRegistryUrl, subjectNameStrategy: 'topic' }, ['subjectNameStrategy']],
    [{ format: 'avro', schemaRegistryUrl, registryPassword: 'p' }, ['registryUsername']],
    [{ format: 'avro', schemaRegistryUrl, registryUsername: 'a:b', registryPassword: 'p' }, ['registryUsername']],
    [{ format: 'avro', schemaRegistryUrl, registryUsername: 'u', registryPassword: 'p' }, []],
  ])('%j', (input, expected) => {
    expect(issues(input)).toEqual(expected)
  })

  it('with a registry whose name is that of a private address are refused', async () => {
    const { settings } = kafka.readSettings({ ...broker, format: 'avro', schemaRegistryUrl }, 'metadata', { guard })
    const names = namesAt('10.1.2.3')
    const found = await kafka.checkSettings(settings, 'metadata', { guard, names, project: 'p' })
    expect(found.map(({ name }) => name)).toContain('metadata.schemaRegistryUrl')
  })
})
