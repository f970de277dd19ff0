import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForTest } from '../conformance.testkit.ts'
import type { FieldType, OutgoingMessage } from '../kind.ts'
import { parseDatabaseUrl } from '../tables/database-url.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { columnName, tableName } from '../tables/rows.ts'
import { type PostgresTarget, startPostgresTarget } from './conformance.testkit.ts'
import { postgres } from './index.ts'
import { urlRules } from './settings.ts'

let target: PostgresTarget
let opened: ReturnType<typeof openForTest>
const results = new Map<string, Buffer>()
let known: FieldType[] = []
beforeEach(async () => {
  target = await startPostgresTarget()
  results.clear()
  known = []
  opened = openForTest(postgres, target.settings, {
    loadResult: async (id) => results.get(id),
    fieldTypes: async () => known,
  })
})
afterEach(async () => {
  await opened.close()
  await target.stop()
})

const message = recordMessages()
const send = async (...batch: OutgoingMessage[]) => (await opened.send(batch)).map(({ outcome }) => outcome)
const contacts = (columns = '*') =>
  target.query<Record<string, unknown>>(`select ${columns} from contacts order by _mortise_group, _mortise_id`)
const types = async () => {
  const found = await target.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
      where table_name = 'contacts' and column_name not like '\\_mortise%' order by 1`,
  )
  return Object.fromEntries(found.map(({ name, type }) => [name, type]))
}

describe('the URL', () => {
  it.each([
    [
      'postgresql://me:p%3Aw@db.example.com/app',
      { user: 'me', password: 'p:w', port: 5432, database: 'app', tls: true },
    ],
    ['postgres://me@[::1]:7000/app?sslmode=disable', { host: '::1', port: 7000, tls: false, password: '' }],
  ])('%s is read', (url, expected) => {
    expect(parseDatabaseUrl(url, urlRules)).toMatchObject(expected)
  })

  it.each([
    'postgresql:',
    'https://db.example.com/app',
    'postgresql://db.example.com/app',
    'postgresql://me@db.example.com',
    'postgresql://me@db.example.com/app?sslmode=prefer',
    'postgresql://me@db.example.com/app?host=/tmp',
    'postgresql://me@db.example.com/app#x',
    'postgresql://%zz@db.example.com/app',
  ])('%s is refused', (url) => {
    expect(parseDatabaseUrl(url, urlRules)).toEqual(expect.any(String))
  })
})

it.each([
  ['postgresql://me:secret@db.test/app?sslmode=disable', 'postgresql://***@db.test/app?sslmode=disable'],
  ['POSTGRES://me:se@cret@db.test:7000/app', 'POSTGRES://***@db.test:7000/app'],
  [' postgresql://me:secret@db.test/app', '***'],
])('of the URL %s, people see %s', (url, shown) => {
  expect(postgres.maskSettings({ url })).toEqual({ url: shown })
})

describe('names', () => {
  it('are those of objects and fields, and never ours', () => {
    expect(['contacts', 'Deal Items', 'a/b', '', '_mortise_messages'].map(tableName)).toEqual([
      'contacts',
      'deal_items',
      'a_b',
      'object_',
      'object__mortise_messages',
    ])
    expect(['email', 'Größe "x"', '_mortise_id', ''].map(columnName)).toEqual([
      'email',
      'Größe "x"',
      'field_mortise_id',
      'field',
    ])
    const [one, other] = [columnName(`${'ü'.repeat(60)}1`), columnName(`${'ü'.repeat(60)}2`)]
    expect(Buffer.byteLength(one)).toBeLessThanOrEqual(63)
    expect(one).not.toBe(other)
  })
})

describe('records', () => {
  it('of several customers lie in one table, a row each, with typed columns', async () => {
    const ada = { id: '1', fields: { email: 'ada@acme.test', score: 4.5 }, mappedFields: { vip: true }, raw: { x: 1 } }
    const bob = { id: '1', fields: { email: 'bob@beta.test', tags: ['a'] } }
    expect(await send(message([ada]), message([bob], { groupRef: 'beta' }))).toEqual(['delivered', 'delivered'])
    expect(await contacts('_mortise_group, _mortise_id, email, score, vip, tags, _mortise_raw as raw')).toEqual([
      {
        _mortise_group: 'acme',
        _mortise_id: '1',
        email: 'ada@acme.test',
        score: '4.5',
        vip: true,
        tags: null,
        raw: { x: 1 },
      },
      {
        _mortise_group: 'beta',
        _mortise_id: '1',
        email: 'bob@beta.test',
        score: null,
        vip: null,
        tags: ['a'],
        raw: null,
      },
    ])
    expect(await types()).toEqual({ email: 'text', score: 'numeric', vip: 'boolean', tags: 'jsonb' })
  })

  it('are replaced by newer ones, whatever the order in which messages arrive', async () => {
    const [first, second, third] = [
      message([{ id: '1', fields: { email: 'old', phone: '1' } }]),
      message([{ id: '1', fields: { email: 'newer' } }]),
      message([
        { id: '1', fields: { email: 'newest' } },
        { id: '2', fields: { email: 'x' } },
      ]),
    ]
    expect(await send(second)).toEqual(['delivered'])
    expect(await send(first)).toEqual(['delivered'])
    expect(await contacts('email')).toEqual([{ email: 'newer' }])
    // Of a batch, the newest counts, and what is sent again changes nothing.
    await send(third, second, third)
    expect(await contacts('email')).toEqual([{ email: 'newest' }, { email: 'x' }])
  })

  it('lose a field that the newest delivery does not have', async () => {
    await send(message([{ id: '1', fields: { email: 'a', phone: '1' } }]))
    await send(message([{ id: '1', fields: { email: 'a' } }]))
    expect(await contacts('email, phone')).toEqual([{ email: 'a', phone: null }])
  })

  it('that are deleted keep their fields and say when, and come back with a newer delivery', async () => {
    await send(message([{ id: '1', fields: { email: 'a' } }]))
    await send(
      message([
        { id: '1', fields: {}, deleted: true },
        { id: '9', fields: {}, deleted: true },
      ]),
    )
    expect(await contacts('_mortise_id as id, email, _mortise_deleted_at is not null as gone')).toEqual([
      { id: '1', email: 'a', gone: true },
      { id: '9', email: null, gone: true },
    ])
    const event = { id: '1', subscribeEventType: 'update', fields: { email: 'b' }, rawEvent: {} }
    await send(message([event], { action: 'subscribe' }))
    await send(message([{ id: '9', subscribeEventType: 'delete', fields: {} }], { action: 'subscribe' }))
    expect(await contacts('email, _mortise_deleted_at is not null as gone')).toEqual([
      { email: 'b', gone: false },
      { email: null, gone: true },
    ])
  })

  it('of different workspaces of one customer are different rows', async () => {
    await send(message([{ id: '1', fields: { email: 'a' } }], { workspace: 'one' }))
    await send(message([{ id: '1', fields: { email: 'b' } }], { workspace: 'two' }))
    expect(await contacts('email')).toHaveLength(2)
  })

  it('that were too large for their message are loaded', async () => {
    const large = message([], { resultInfo: { type: 'url', numRecords: 1, downloadUrl: 'https://x.test/1' } })
    results.set(large.id, Buffer.from(JSON.stringify([{ id: '1', fields: { note: 'x'.repeat(400_000) } }])))
    expect(await send(large)).toEqual(['delivered'])
    expect(await contacts('length(note) as length')).toEqual([{ length: 400_000 }])
    expect(await send(message([], { resultInfo: { type: 'url', numRecords: 1 } }))).toEqual(['refused'])
  })

  it('with names and values of any kind are stored', async () => {
    const hostile = '"; drop table contacts; --'
    const fields = { [hostile]: "'; drop table contacts; --", nul: 'a\u0000b', half: '\ud800', ['x'.repeat(200)]: 1 }
    expect(await send(message([{ id: "1'", fields, raw: { nul: 'a\u0000b\ud800' } }]))).toEqual(['delivered'])
    expect(await contacts()).toMatchObject([
      { _mortise_id: "1'", nul: 'a\ufffdb', half: '\ufffd', [hostile]: fields[hostile] },
    ])
  })
})

describe('values', () => {
  it('of every type of JSON, in columns of every type, are those that PostgreSQL makes of the JSON', async () => {
    const odd = ['text', '', 'a"b\\c,{}', 'NULL', 0, -0.5, 1e21, true, null, [1, 'x'], { a: { b: 1 } }]
    const records = odd.map((value, at) => ({ id: String(at).padStart(2, '0'), fields: { note: value, any: [value] } }))
    expect(await send(message(records))).toEqual(['delivered'])
    const expected = await target.query<{ note: string | null; any: unknown }>(
      `select value #>> '{}' as note, jsonb_build_array(value) as any
         from jsonb_array_elements('${JSON.stringify(odd)}'::jsonb)`,
    )
    expect(await contacts('note, "any"')).toEqual(expected)
  })

  it('that no double can hold are null', async () => {
    await send(message([{ id: '1', fields: { size: 1 } }]))
    const large = message([{ id: '1', fields: { size: 1 } }])
    await send({ ...large, body: Buffer.from(large.body.toString().replace('"size":1', '"size":1e999')) })
    expect(await contacts('size')).toEqual([{ size: null }])
  })

  it('of two calls at the same time use two connections, and the newer message counts', async () => {
    const entries = (email: string) => Array.from({ length: 200 }, (_, at) => ({ id: `${at}`, fields: { email } }))
    const batches = Array.from({ length: 10 }, (_, at) => message(entries(`v${at}`)))
    await send(message([{ id: 'x', fields: { email: 'x' } }]))
    const outcomes = await Promise.all(batches.toReversed().map((one) => send(one)))
    expect(outcomes.flat()).toEqual(batches.map(() => 'delivered'))
    expect(await target.query("select distinct email from contacts where _mortise_id <> 'x'")).toEqual([
      { email: 'v9' },
    ])
    const connections = () =>
      target.query<{ count: string }>("select count(*) from pg_stat_activity where application_name = 'mortise'")
    expect(Number((await connections())[0]?.count)).toBeGreaterThan(1)
    await opened.close()
    await expect.poll(connections).toEqual([{ count: '0' }])
  })
})

describe('columns', () => {
  it('become text when a value needs it, and keep what they have', async () => {
    await send(message([{ id: '1', fields: { size: 5, open: true, note: 'x', list: [1] } }]))
    await send(message([{ id: '2', fields: { size: 'large', open: 0, note: { a: 1 }, list: 'none' } }]))
    expect(await types()).toEqual({ size: 'text', open: 'text', note: 'text', list: 'jsonb' })
    expect(await contacts('size, open, note, list')).toEqual([
      { size: '5', open: 'true', note: 'x', list: [1] },
      { size: 'large', open: '0', note: '{"a": 1}', list: 'none' },
    ])
  })

  it('have the types that the provider declares, until a value does not fit', async () => {
    known = [
      { field: 'age', valueType: 'int' },
      { field: 'since', valueType: 'datetime' },
      { field: 'born', valueType: 'date' },
      { field: 'code', valueType: 'string' },
      { field: 'rate', valueType: 'int' },
      { field: 'seen', valueType: 'datetime' },
      { field: 'tags', valueType: 'multiSelect' },
    ]
    const fields = {
      ...{
        age: 5,
        since: '2026-11-26T10:00:00.5+01:00',
        born: '2026-02-28',
        code: 7,
        rate: 1.5,
        seen: 'no',
        tags: ['a'],
      },
    }
    expect(await send(message([{ id: '1', fields }]))).toEqual(['delivered'])
    expect(await types()).toEqual({
      age: 'bigint',
      since: 'timestamp with time zone',
      born: 'date',
      code: 'text',
      rate: 'numeric',
      seen: 'text',
      tags: 'jsonb',
    })
    const later = { age: 5.5, since: 'soon', born: '2026-02-30' }
    expect(await send(message([{ id: '2', fields: later }]))).toEqual(['delivered'])
    expect(await contacts('age, since, born, code')).toEqual([
      { age: '5', since: '2026-11-26T09:00:00.500000Z', born: '2026-02-28', code: '7' },
      { age: '5.5', since: 'soon', born: '2026-02-30', code: null },
    ])
  })

  it('of a type that a user chose are converted to', async () => {
    await send(message([{ id: '1', fields: { since: '2026-11-26T10:00:00Z' } }]))
    await target.query('alter table contacts alter column since type timestamptz using since::timestamptz')
    expect(await send(message([{ id: '2', fields: { since: '2026-11-27T10:00:00Z' } }]))).toEqual(['delivered'])
    expect(await contacts('since')).toEqual([
      { since: new Date('2026-11-26T10:00:00Z') },
      { since: new Date('2026-11-27T10:00:00Z') },
    ])
    // The others of its batch are stored.
    const outcomes = await send(message([{ id: '3', fields: { since: 'soon' } }]), message([{ id: '4', fields: {} }]))
    expect(outcomes).toEqual(['refused', 'delivered'])
  })

  it('of a value that does not fit lose only its record', async () => {
    await send(message([{ id: '1', fields: { size: 1 } }]))
    const entries = Array.from({ length: 100 }, (_, at) => ({ id: `${at}`, fields: { size: at } as object }))
    entries[7] = { id: '7', fields: { size: 'large' } }
    entries[60] = { id: '60', fields: { size: 'small' } }
    await target.query('alter table contacts alter column size type integer using size::integer')
    const [result, other] = await opened.send([message(entries), message([{ id: '200', fields: { size: 1 } }])])
    expect(other?.outcome).toBe('delivered')
    expect(result).toMatchObject({ outcome: 'delivered', rejected: [{ entries: [7] }, { entries: [60] }] })
    for (const one of result?.rejected ?? [])
      expect(one).toMatchObject({ outcome: 'refused', error: expect.stringMatching(/does not fit .* \(22P02\)\.$/) })
    const stored = await contacts('_mortise_id as id')
    expect(stored).toHaveLength(99)
    expect(stored).not.toContainEqual({ id: '7' })
  })

  it('of many bad records end after some calls, and what is left is tried again together', async () => {
    await send(message([{ id: 'x', fields: { size: 1 } }]))
    await target.query('alter table contacts alter column size type integer using size::integer')
    const sizes = (count: number, size: unknown, from = 0) =>
      Array.from({ length: count }, (_, at) => ({ id: `${from + at}`, fields: { size } }))
    const [first] = await opened.send([message(sizes(200, 'a'))])
    expect(first).toMatchObject({ outcome: 'retry', error: expect.stringContaining('22P02') })
    const [second] = await opened.send([message([...sizes(100, 'a'), ...sizes(100, 2, 100)])])
    const rejected = second?.rejected?.flatMap(({ entries }) => entries) ?? []
    expect(second?.outcome).toBe('delivered')
    expect(rejected.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at))
    expect(second?.rejected?.some(({ entries, outcome }) => entries.length > 1 && outcome === 'retry')).toBe(true)
    expect(await contacts('_mortise_id as id')).toHaveLength(101)
  })

  it('that refer to a row that may come later are tried again, apart from the others', async () => {
    await send(message([{ id: '1', fields: { owner: 'a' } }]))
    await target.query("create table owners (id text primary key); insert into owners values ('a')")
    await target.query('alter table contacts add foreign key (owner) references owners')
    const batch = message([
      { id: '2', fields: { owner: 'a' } },
      { id: '3', fields: { owner: 'b' } },
    ])
    expect(await opened.send([batch])).toMatchObject([
      { outcome: 'delivered', rejected: [{ entries: [1], outcome: 'retry' }] },
    ])
    await target.query('drop table contacts, owners')
  })

  it('of a user stay as they are', async () => {
    await send(message([{ id: '1', fields: { email: 'a' } }]))
    await target.query(
      "alter table contacts add column owner text default 'me', add column up text generated always as (upper(email)) stored",
    )
    expect(await send(message([{ id: '1', fields: { email: 'b', phone: '1' } }]))).toEqual(['delivered'])
    expect(await contacts('email, owner, up, phone')).toEqual([{ email: 'b', owner: 'me', up: 'B', phone: '1' }])
  })

  it('are added once by two senders at the same time', async () => {
    const other = openForTest(postgres, target.settings)
    const batches = Array.from({ length: 10 }, (_, index) =>
      message([{ id: `${index}`, fields: { [`f${index}`]: 1 } }]),
    )
    const outcomes = await Promise.all(
      batches.map((one, index) => (index % 2 === 0 ? opened : other).send([one]).then(([result]) => result?.outcome)),
    )
    await other.close()
    expect(new Set(outcomes)).toEqual(new Set(['delivered']))
    expect(Object.keys(await types())).toHaveLength(10)
  })
})
