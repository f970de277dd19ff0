import { createHash } from 'node:crypto'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { createAddressGuard, parseAllowedNetworks } from '../../../../kernel/net/index.ts'
import { openForTest } from '../conformance.testkit.ts'
import { startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'
import type { OutgoingMessage } from '../kind.ts'
import { type Store, storeObject, stores } from '../stores.testkit.ts'
import { openFiles } from './index.ts'

/** Files of records, in every store of objects. */

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A store that keeps objects, until it is full. */
async function open(store: Store, options: object, full: { after?: number } = {}) {
  const { kind, settings, gate } = store
  const objects = new Map<string, TargetRequest>()
  let puts = 0
  const target = await startHttpTarget({
    settings: (port) => ({ ...settings(port), ...options }),
    secret: 'unused',
    answer: async (request) => {
      const refused = await gate?.(request)
      if (refused) return refused
      if (++puts > (full.after ?? Number.POSITIVE_INFINITY)) return { status: 507 }
      return storeObject(store, request, objects)
    },
  })
  const results = new Map<string, Buffer>()
  const { send, secret, close } = openForTest(kind, target.settings, {
    loadResult: async (id) => results.get(id),
    originsOf: async (sources) => sources.map(({ installationId }) => ({ connectionId: `of-${installationId}` })),
  })
  closing.push(close, () => target.stop())
  return { send, secret, objects, results, full, puts: () => puts }
}

let made = 0
/** A message of 2026-01-31 with records. */
function read(objectName: string, result: object[] | undefined, more: object = {}): OutgoingMessage {
  const millis = Date.parse('2026-01-31T12:00:00Z').toString(16).padStart(12, '0')
  const id = `${millis.slice(0, 8)}-${millis.slice(8)}-7000-8000-${String(++made).padStart(12, '0')}`
  const common = {
    action: 'read',
    objectName,
    groupRef: 'acme',
    provider: 'hubspot',
    workspace: '',
    installationId: newInstallation,
  }
  const body = { ...common, ...(result ? { result } : { resultInfo: { type: 'url' } }), ...more }
  return { id, kind: 'read', eventType: undefined, body: Buffer.from(JSON.stringify(body)) }
}
const newInstallation = '0197b1c0-0000-7000-8000-000000000001'
const record = (id: string, fields: object, more: object = {}) => ({ id, fields, raw: { id }, ...more })
const notification: OutgoingMessage = {
  id: '019c13d5-0800-7000-8000-0000000000ff',
  kind: 'notification',
  eventType: 'installation.created',
  body: Buffer.from('{"eventType":"installation.created"}'),
}

const namesIn = (objects: Map<string, unknown>) =>
  [...objects.keys()].filter((key) => !key.startsWith('_mortise_manifests'))
const manifestsIn = (objects: Map<string, { body: Buffer; headers: Record<string, string> }>) =>
  [...objects].filter(([key]) => key.startsWith('_mortise_manifests/'))
const onlyFile = (objects: Map<string, { body: Buffer }>) => objects.get(namesIn(objects)[0] ?? '')?.body ?? Buffer.of()

describe.each(Object.entries(stores))('files of records in %s', (_, store) => {
  it('hold the records of many messages by object and day, and a signed manifest lists them', async () => {
    const { send, secret, objects } = await open(store, { format: 'ndjson' })
    const messages = [
      read('Contacts', [record('1', { email: 'a@example.com' }), record('2', { email: null })]),
      read('deals', [record('3', { amount: 5 })]),
      read('Contacts', [record('1', { email: 'b@example.com' }), { id: '4', deleted: true }]),
      notification,
    ]
    expect((await send(messages)).map(({ outcome }) => outcome)).toEqual(messages.map(() => 'delivered'))
    const name = /contacts-([0-9a-f]{16})\.ndjson$/.exec(namesIn(objects)[0] ?? '')?.[1]
    expect(namesIn(objects)).toEqual([
      `contacts/date=2026-01-31/contacts-${name}.ndjson`,
      `deals/date=2026-01-31/deals-${name}.ndjson`,
      `_mortise_messages/date=2026-01-31/_mortise_messages-${name}.ndjson`,
    ])
    const lines = onlyFile(objects)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object)
    expect(
      lines.map((line) => [
        Reflect.get(line, '_mortise_id'),
        Reflect.get(line, 'email'),
        Reflect.get(line, '_mortise_deleted_at'),
      ]),
    ).toEqual([
      ['1', 'a@example.com', null],
      ['2', null, null],
      ['1', 'b@example.com', null],
      ['4', undefined, '2026-01-31T12:00:00.000Z'],
    ])
    expect(lines[0]).toEqual({
      _mortise_group: 'acme',
      _mortise_provider: 'hubspot',
      _mortise_workspace: '',
      _mortise_id: '1',
      _mortise_installation: newInstallation,
      _mortise_message: messages[0]?.id,
      _mortise_read_at: '2026-01-31T12:00:00.000Z',
      _mortise_deleted_at: null,
      _mortise_raw: '{"id":"1"}',
      email: 'a@example.com',
    })
    const [[key, manifest] = []] = manifestsIn(objects)
    expect(key).toBe(`_mortise_manifests/2026-01-31/2026-01-31T12:00:00.000Z_${name}.json`)
    const headers = Object.fromEntries(
      Object.entries(manifest?.headers ?? {}).map(([header, value]) => [
        header.replace(/^x-(amz|goog|ms)-meta-/, '').replaceAll('_', '-'),
        value,
      ]),
    )
    const said = new Webhook(secret).verify(manifest?.body ?? '', headers) as Record<string, unknown>
    expect(said).toMatchObject({
      id: name,
      createTime: '2026-01-31T12:00:00.000Z',
      projectId: 'project-1',
      destinationId: 'destination-1',
      format: 'ndjson',
      messages: messages.map(({ id }) => id).toSorted(),
    })
    expect(said['files']).toEqual(
      namesIn(objects).map((file) => {
        const body = objects.get(file)?.body ?? Buffer.of()
        const rows = body.toString().trimEnd().split('\n').length
        const sha256 = createHash('sha256').update(body).digest('hex')
        return { key: file, table: file.split('/')[0], rows, bytes: body.length, sha256 }
      }),
    )
  })

  it('are complete only with their manifest: without it, everything is sent again under the same names', async () => {
    const { send, objects, full, puts } = await open(store, { format: 'ndjson' }, { after: 1 })
    const messages = [read('contacts', [record('1', { a: 1 })])]
    expect(await send(messages)).toMatchObject([{ outcome: 'retry', status: 507 }])
    expect(manifestsIn(objects)).toEqual([])
    const before = namesIn(objects)
    delete full.after
    expect(await send(messages)).toMatchObject([{ outcome: 'delivered' }])
    expect([namesIn(objects), manifestsIn(objects).length, puts()]).toEqual([before, 1, 4])
  })
})

const { s3: store } = stores as { s3: Store }

describe('files of records', () => {
  it('of CSV have a header, and quote what RFC 4180 says', async () => {
    const { send, objects } = await open(store, { format: 'csv' })
    await send([
      read('contacts', [
        record('1', { name: 'Ada, "A"\nLovelace', age: 36, active: true, tags: ['x'] }),
        record('2', { name: '', age: null, email: '=1+1' }),
      ]),
    ])
    const [header, ...lines] = onlyFile(objects).toString().split('\r\n')
    expect(header?.split(',').slice(9)).toEqual(['name', 'age', 'active', 'tags', 'email'])
    expect(lines.map((line) => line.slice(line.indexOf('}"') + 3))).toEqual([
      '"Ada, ""A""\nLovelace",36,true,"[""x""]",',
      ',,,,=1+1',
      '',
    ])
  })

  it('of Parquet have types that follow the values', async () => {
    const { send, objects } = await open(store, { format: 'parquet' })
    const fields = [
      { name: 'Ada', age: 36, active: true, mixed: 1, address: { city: 'London' }, none: null },
      { name: 'Bob', age: 1.5, active: null, mixed: 'x', address: null },
    ]
    await send([
      read(
        'contacts',
        fields.map((values, at) => record(String(at), values)),
      ),
    ])
    const bytes = Uint8Array.from(onlyFile(objects))
    const rows = await parquetReadObjects({ file: bytes.buffer })
    expect(rows).toMatchObject([
      { _mortise_id: '0', name: 'Ada', age: 36, active: true, mixed: '1', address: '{"city":"London"}' },
      { _mortise_id: '1', name: 'Bob', age: 1.5, active: null, mixed: 'x', address: null },
    ])
    expect(rows[0]?.['_mortise_read_at']).toEqual(new Date('2026-01-31T12:00:00Z'))
    expect(Object.keys(rows[0] ?? {})).not.toContain('none')
    expect(Object.keys(rows[0] ?? {})).not.toContain('_mortise_deleted_at')
  })

  it.each(['parquet', 'ndjson', 'csv'])(
    'of %s are written in parts, with the columns of all of them',
    async (format) => {
      const { send, objects } = await open(store, { format })
      const text = 'x'.repeat(150 * 2 ** 10)
      await send([
        read('contacts', [record('0', { text, mixed: 1 })]),
        read('deals', [record('1', { amount: 1 })]),
        read('contacts', [record('2', { text })]),
        read('contacts', [record('3', { mixed: 'late', last: true })]),
      ])
      const file = onlyFile(objects)
      if (format === 'csv') {
        const [header, ...lines] = file.toString().trimEnd().split('\r\n')
        expect(header).toMatch(/,text,mixed,last$/)
        expect(lines.map((line) => line.slice(-11))).toEqual(['xxxxxxxx,1,', 'xxxxxxxxx,,', ',,late,true'])
      } else if (format === 'ndjson') {
        const ids = file
          .toString()
          .trimEnd()
          .split('\n')
          .map((line) => Reflect.get(JSON.parse(line), '_mortise_id'))
        expect(ids).toEqual(['0', '2', '3'])
      } else {
        const { buffer } = Uint8Array.from(file)
        expect(parquetMetadata(buffer).row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([2, 1])
        expect(await parquetReadObjects({ file: buffer })).toMatchObject([
          { _mortise_id: '0', text, mixed: '1', last: null },
          { _mortise_id: '2', text, mixed: null, last: null },
          { _mortise_id: '3', text: null, mixed: 'late', last: true },
        ])
      }
    },
  )

  it('go to the folder that the template makes, which no value can leave', async () => {
    const { send, objects } = await open(store, {
      format: 'ndjson',
      prefixTemplate: "join('/', [data.groupName, time.date])",
    })
    await send([
      read('contacts', [record('1', {})], { groupName: '../../other' }),
      read('contacts', [record('2', {})], { groupName: 'acme' }),
      read('contacts', [record('3', {})]),
    ])
    expect(namesIn(objects).map((key) => key.replace(/-[0-9a-f]{16}/, ''))).toEqual([
      '__/__/other/2026-01-31/contacts.ndjson',
      'acme/2026-01-31/contacts.ndjson',
      'contacts/date=2026-01-31/contacts.ndjson',
    ])
  })

  it('go to a folder of their connection', async () => {
    const { send, objects } = await open(store, {
      ...{ format: 'ndjson', prefixTemplate: 'metadata.connectionId || data.objectName' },
    })
    const gone = read('deals', undefined, { installationId: 'gone' })
    await send([
      gone,
      read('contacts', [record('1', {})], { installationId: 'i-1' }),
      read('contacts', [record('2', {})]),
    ])
    expect(namesIn(objects).map((key) => key.split('/')[0])).toEqual(['of-i-1', `of-${newInstallation}`])
  })

  it('contain the records of large messages, and refuse those that are not kept any more', async () => {
    const { send, objects, results } = await open(store, { format: 'ndjson' })
    const [kept, gone] = [read('contacts', undefined), read('contacts', undefined)]
    results.set(kept.id, Buffer.from(JSON.stringify([record('1', { a: 'x'.repeat(100_000) })])))
    expect((await send([gone, kept])).map(({ outcome }) => outcome)).toEqual(['refused', 'delivered'])
    expect(onlyFile(objects).length).toBeGreaterThan(100_000)
  })

  it('are split where they would be large, and what came before a failure stays', async () => {
    const { send, objects } = await open(store, { format: 'ndjson' }, { after: 2 })
    const messages = Array.from({ length: 3 }, (_, at) =>
      read('contacts', [record(String(at), { a: 'x'.repeat(5 * 2 ** 20) })]),
    )
    expect((await send(messages)).map(({ outcome }) => outcome)).toEqual(['delivered', 'retry', 'retry'])
    expect(manifestsIn(objects)).toHaveLength(1)
  })

  it('begin no further batch when most of the time has passed', async () => {
    const { services, close } = openForTest(store.kind, { ...store.settings(9_000) })
    closing.push(close)
    const put = async () => ({ outcome: 'delivered' as const })
    const sender = openFiles({ format: 'ndjson', prefixTemplate: undefined, put, services })
    const messages = ['0', '1'].map((id) => read('contacts', [record(id, { a: 'x'.repeat(9 * 2 ** 20) })]))
    const { signal } = new AbortController()
    const results = await sender.send(messages, { time: new Date(), timeoutMs: 0, signal })
    expect(results.map(({ outcome }) => outcome)).toEqual(['delivered', 'unsent'])
  })

  it.each([
    [{ format: 'xml' }, ['format']],
    [{ format: 'csv', keyTemplate: 'data.id' }, ['keyTemplate']],
    [{ prefixTemplate: 'data.a', batchSize: 5, maxWaitSecs: 5 }, ['prefixTemplate', 'batchSize', 'maxWaitSecs']],
    [
      { format: 'parquet', prefixTemplate: 'max(data)', batchSize: 0, maxWaitSecs: 4_000 },
      ['prefixTemplate', 'batchSize', 'maxWaitSecs'],
    ],
  ])('have settings that fit each other: %j', (input, names) => {
    const guard = createAddressGuard({ allow: parseAllowedNetworks('loopback') })
    const { issues } = store.kind.readSettings({ ...store.settings(9_000), ...input }, 'metadata', { guard })
    expect(issues.map(({ name }) => name)).toEqual(names.map((name) => `metadata.${name}`))
  })
})
