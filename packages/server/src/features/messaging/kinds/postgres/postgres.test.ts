import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForTest } from '../conformance.testkit.ts'
import type { OutgoingMessage } from '../kind.ts'
import { type PostgresTarget, startPostgresTarget } from './conformance.testkit.ts'
import { postgres } from './index.ts'
import { columnName, tableName } from './rows.ts'
import { parsePostgresUrl } from './settings.ts'

let target: PostgresTarget
let opened: ReturnType<typeof openForTest>
const results = new Map<string, Buffer>()
beforeEach(async () => {
  target = await startPostgresTarget()
  results.clear()
  opened = openForTest(postgres, target.settings, { loadResult: async (id) => results.get(id) })
})
afterEach(async () => {
  await opened.close()
  await target.stop()
})

let count = 0
/** A message with entries, newer than those before. */
function message(entries: object[], more: object = {}): OutgoingMessage {
  const body = {
    action: 'read',
    projectId: 'p',
    provider: 'crm',
    groupRef: 'acme',
    installationId: '0197b1c0-0000-7000-8000-00000000000f',
    objectName: 'contacts',
    resultInfo: { type: 'inline', numRecords: entries.length },
    result: entries,
    ...more,
  }
  const id = `0197b1c0-0000-7000-8000-${String(++count).padStart(12, '0')}`
  return { id, kind: 'read', eventType: undefined, body: Buffer.from(JSON.stringify(body)) }
}
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
    expect(parsePostgresUrl(url)).toMatchObject(expected)
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
    expect(parsePostgresUrl(url)).toEqual(expect.any(String))
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
    expect(outcomes).toEqual(['retry', 'delivered'])
  })

  it('of a user stay as they are', async () => {
    await send(message([{ id: '1', fields: { email: 'a' } }]))
    await target.query(
      "alter table contacts add column owner text default 'me', add column up text generated always as (upper(email)) stored",
    )
    expect(await send(message([{ id: '1', fields: { email: 'b', phone: '1' } }]))).toEqual(['delivered'])
    expect(await contacts('email, owner, up, phone')).toEqual([{ email: 'b', owner: 'me', up: 'B', phone: '1' }])
  })

  it('come back when the table was dropped', async () => {
    for (const email of ['a', 'b']) await send(message([{ id: '1', fields: { email } }]))
    await target.query('drop table contacts')
    expect(await send(message([{ id: '1', fields: { email: 'b' } }]))).toEqual(['delivered'])
    expect(await contacts('email')).toEqual([{ email: 'b' }])
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

it('messages that are not about records are kept whole, each once', async () => {
  const event = message([{ subscribeEventType: 'other', rawEvent: { a: 1 } }], { action: 'subscribe' })
  const body = Buffer.from('{"notificationType":"read.backfill.done","data":{}}')
  const notice: OutgoingMessage = { ...message([]), body, kind: 'notification', eventType: 'read.backfill.done' }
  await send(event, notice)
  await send(event, notice)
  const kept = await target.query('select id, kind, event_type from _mortise_messages order by id')
  expect(kept).toEqual([
    { id: event.id, kind: 'read', event_type: null },
    { id: notice.id, kind: 'notification', event_type: 'read.backfill.done' },
  ])
})

describe.each(['sent', 'answered'] as const)('a connection that ends, whatever was %s before', (what) => {
  it('loses nothing and doubles nothing', async () => {
    const sendUntilDone = async (one: OutgoingMessage) => {
      for (let attempt = 0; attempt < 5; attempt++)
        if (
          await send(one).then(
            ([outcome]) => outcome === 'delivered',
            () => false,
          )
        )
          return
      throw new Error('never delivered')
    }
    let isOver = false
    for (let after = 0; !isOver; after++) {
      target.cutAfter(after, what)
      // A row, a new column, a deletion, and a message that is kept.
      const entries = [
        { id: 'counted', fields: { n: after, [`f${after}`]: 1 } },
        { id: 'gone', fields: {}, deleted: true },
        { subscribeEventType: 'other', rawEvent: {} },
      ]
      await sendUntilDone(message(entries))
      isOver = !target.wasCut()
      expect(await contacts('_mortise_id as id, n, _mortise_deleted_at is not null as gone')).toEqual([
        { id: 'counted', n: String(after), gone: false },
        { id: 'gone', n: null, gone: true },
      ])
      expect(await target.received()).toHaveLength(after + 1)
      expect(after).toBeLessThan(40)
    }
  })
})
