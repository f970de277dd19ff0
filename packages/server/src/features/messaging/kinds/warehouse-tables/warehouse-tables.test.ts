import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bigquery } from '../bigquery/index.ts'
import { startBigQueryTables } from '../bigquery/tables-target.testkit.ts'
import { hasChdb } from '../clickhouse/chdb.testkit.ts'
import { clickhouse } from '../clickhouse/index.ts'
import { startChdbTables, startClickHouseTables } from '../clickhouse/tables-target.testkit.ts'
import { openForTest } from '../conformance.testkit.ts'
import type { DestinationKind, FieldType, OutgoingMessage, SendResult } from '../kind.ts'
import { redshift } from '../redshift/index.ts'
import { startRedshiftTables } from '../redshift/tables-target.testkit.ts'
import { snowflake } from '../snowflake/index.ts'
import { startSnowflakeTables } from '../snowflake/tables-target.testkit.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import type { WarehouseTarget } from './warehouse-target.testkit.ts'

/** What holds for the tables of every warehouse. */

interface Tested {
  name: string
  kind: DestinationKind
  start: () => Promise<WarehouseTarget>
  /** Whether its users have all permissions. */
  isOpen?: boolean
  /** Distance of the requests between which connections end, where there are many. */
  step?: number
}

/** A real ClickHouse takes part if `MORTISE_TEST_CHDB` names a folder in which the npm package `chdb` is installed. */
const chdb: Tested = {
  name: 'a real clickhouse',
  kind: clickhouse as DestinationKind,
  start: startChdbTables,
  isOpen: true,
}

const warehouses: Tested[] = [
  ...(hasChdb() ? [chdb] : []),
  { name: 'clickhouse', kind: clickhouse as DestinationKind, start: startClickHouseTables },
  { name: 'snowflake', kind: snowflake as DestinationKind, start: startSnowflakeTables },
  { name: 'bigquery', kind: bigquery as DestinationKind, start: startBigQueryTables },
  { name: 'redshift', kind: redshift as DestinationKind, start: startRedshiftTables, step: 5 },
]

describe.each(warehouses)('tables of $name', ({ kind, start, isOpen = false, step = 1 }) => {
  let target: WarehouseTarget
  let opened: ReturnType<typeof openForTest>
  let declared: FieldType[]
  const message = recordMessages()
  beforeEach(async () => {
    target = await start()
    declared = []
    opened = openForTest(kind, target.settings, { fieldTypes: async () => declared })
  })
  afterEach(async () => {
    await opened.close()
    await target.stop()
  })

  const results = (...batch: OutgoingMessage[]): Promise<readonly SendResult[]> => opened.send(batch)
  const send = async (...batch: OutgoingMessage[]) => (await results(...batch)).map(({ outcome }) => outcome)
  const table = kind.name === 'snowflake' ? 'CONTACTS' : 'contacts'
  const rows = async (...names: string[]) =>
    (await target.rows(table)).map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])))

  it('have a row for each record of every customer, with the newest values', async () => {
    const first = message([
      { id: '1', fields: { email: 'a@x', name: 'Ada' }, raw: { Email: 'a@x', deep: [1] } },
      { id: '2', fields: { email: 'b@x' } },
    ])
    const other = message([{ id: '1', fields: { email: 'c@x' } }], { groupRef: 'beta' })
    const second = message([{ id: '1', fields: { email: 'new@x' } }])
    expect(await send(first, other, second)).toEqual(['delivered', 'delivered', 'delivered'])
    expect(await rows('_mortise_group', '_mortise_id', 'email', 'name')).toEqual([
      { _mortise_group: 'acme', _mortise_id: '1', email: 'new@x', name: null },
      { _mortise_group: 'acme', _mortise_id: '2', email: 'b@x', name: null },
      { _mortise_group: 'beta', _mortise_id: '1', email: 'c@x', name: null },
    ])
  })

  it('are the same whatever the order and the number of attempts', async () => {
    const older = message([{ id: '1', fields: { email: 'old@x' } }])
    const newer = message([{ id: '1', fields: { email: 'new@x' } }])
    for (const one of [newer, older, newer, older, older]) expect(await send(one)).toEqual(['delivered'])
    expect(await rows('email', '_mortise_message')).toEqual([{ email: 'new@x', _mortise_message: newer.id }])
  })

  it('have one row for a record of which several messages are in a batch, the same as from batches of one', async () => {
    const batch = [
      message([{ id: '1', fields: { email: 'old@x' } }]),
      message([{ id: '1', fields: { email: 'new@x' } }]),
      // Ids that are stored as the same text.
      message([{ id: '2\u0000', fields: { email: 'b@x' } }]),
      message([{ id: '2\ufffd', fields: { email: 'c@x' } }]),
      message([{ id: '3', fields: { email: 'd@x' } }]),
      // Newer, and without values: the values before it stay.
      message([{ id: '3', subscribeEventType: 'update', rawEvent: {} }]),
      message([{ id: '4', fields: { email: 'e@x' } }]),
      message([{ id: '4', deleted: true }]),
      message([{ id: '5', deleted: true }]),
      message([{ id: '5', fields: { email: 'f@x' } }]),
    ]
    const found = async () =>
      (await target.rows(table)).map((row) => [
        row['_mortise_id'],
        row['email'],
        row['_mortise_message'],
        row['_mortise_deleted_at'] !== null,
      ])
    // In the order in which they are claimed, and the other way around.
    expect(new Set(await send(...batch))).toEqual(new Set(['delivered']))
    const together = await found()
    const ids = [1, 3, 5, 7, 9].map((at) => batch[at]?.id)
    expect(together).toEqual([
      ['1', 'new@x', ids[0], false],
      ['2\ufffd', 'c@x', ids[1], false],
      ['3', 'd@x', ids[2], false],
      ['4', 'e@x', ids[3], true],
      ['5', 'f@x', ids[4], false],
    ])
    for (const order of [batch.toReversed(), batch]) {
      await target.drop(table)
      expect(new Set(await send(...order))).toEqual(new Set(['delivered']))
      expect(await found()).toEqual(together)
    }
    await target.drop(table)
    for (const one of batch) expect(await send(one)).toEqual(['delivered'])
    expect(await found()).toEqual(together)
  })

  it('mark deleted records, and keep their other columns', async () => {
    const made = message([{ id: '1', fields: { email: 'a@x' } }])
    const gone = message([
      { id: '1', deleted: true },
      { id: '2', deleted: true },
    ])
    await send(made)
    await send(gone)
    await send(gone, made)
    expect(await rows('_mortise_id', 'email')).toEqual([
      { _mortise_id: '1', email: 'a@x' },
      { _mortise_id: '2', email: null },
    ])
    const marks = (await target.rows(table)).map(({ _mortise_deleted_at: at }) => at !== null)
    expect(marks).toEqual([true, true])
    await send(message([{ id: '1', fields: { email: 'back@x' } }]))
    const [back] = await target.rows(table)
    expect([back?.['email'], back?.['_mortise_deleted_at']]).toEqual(['back@x', null])
  })

  it('get columns as fields come, and null where a newer delivery has no value', async () => {
    await send(message([{ id: '1', fields: { email: 'a@x' } }]))
    await send(message([{ id: '1', fields: { age: 7 }, mappedFields: { isActive: true } }]))
    await send(message([{ id: '2', fields: { address: { city: 'Rome' }, tags: ['a', null] } }]))
    const [one, two] = await target.rows(table)
    expect([one?.['email'], Number(one?.['age']), Boolean(one?.['isactive'] ?? one?.['isActive'])]).toEqual([
      null,
      7,
      true,
    ])
    const json = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value)
    expect([json(two?.['address']), json(two?.['tags'])]).toEqual([{ city: 'Rome' }, ['a', null]])
  })

  it('have the types that a provider declares, and put what does not fit into a second column', async () => {
    declared = [
      { field: 'size', valueType: 'int' },
      { field: 'since', valueType: 'date' },
      { field: 'seen', valueType: 'datetime' },
      { field: 'ok', valueType: 'boolean' },
    ]
    await send(
      message([{ id: '1', fields: { size: 5, since: '2026-02-28', seen: '2026-01-31T12:00:00+02:00', ok: false } }]),
    )
    expect(
      await send(
        message([{ id: '2', fields: { size: 'about 5', since: '2026-02-30', seen: 'yesterday', ok: 'maybe' } }]),
      ),
    ).toEqual(['delivered'])
    const [fits, rest] = await target.rows(table)
    expect([Number(fits?.['size']), Boolean(fits?.['ok']), fits?.['size_text']]).toEqual([5, false, null])
    expect(new Date(String(fits?.['seen'])).toISOString()).toBe('2026-01-31T10:00:00.000Z')
    expect(rest).toMatchObject({ size: null, since: null, seen: null, ok: null })
    expect(rest).toMatchObject({
      size_text: 'about 5',
      since_text: '2026-02-30',
      seen_text: 'yesterday',
      ok_text: 'maybe',
    })
    await send(message([{ id: '2', fields: { size: 6 } }]))
    const [, later] = await target.rows(table)
    expect([Number(later?.['size']), later?.['size_text']]).toEqual([6, null])
  })

  it('take any name of a field and an object, as a column and a table of its own', async () => {
    const names = [
      'a"b',
      'a`b',
      "a'b",
      'a\\b',
      'a;--',
      'a b',
      'a.b',
      'a?b',
      'a:b',
      '1st',
      'Ünï',
      '_mortise_id',
      '_MORTISE_ID',
    ]
    const hostile = [...names, 'constructor', '__proto__', 'A', 'a', '_TABLE_x', `x${'y'.repeat(300)}`]
    const fields = Object.fromEntries(hostile.map((name, index) => [name, `v${index}`]))
    expect(await send(message([{ id: '1', fields: JSON.parse(JSON.stringify(fields)) as object }]))).toEqual([
      'delivered',
    ])
    const [row] = await target.rows(table)
    const values = Object.values(row ?? {}).filter((value) => /^v\d+$/.test(String(value)))
    const expected = Object.keys(fields).length
    expect(new Set(values).size).toBe(expected)
    // Each keeps its column.
    await send(
      message([{ id: '1', fields: Object.fromEntries(hostile.toReversed().map((name) => [name, `w-${name}`])) }]),
    )
    const before = await target.columns(table)
    expect(await target.columns(table)).toEqual(before)
    expect(
      await send(message([{ id: '1', fields: { x: 1 } }], { objectName: 'x\'"`; drop table contacts; --\\' })),
    ).toEqual(['delivered'])
    expect(await target.rows(table)).toHaveLength(1)
  })

  it('store any text', async () => {
    const text = `a'b"c\\d\`e\u0000f\nnull ${'😀'} \ud800 :r0 ? {{x}} $1`
    expect(await send(message([{ id: `1'"\\`, fields: { text, n: { text } } }], { groupRef: `g'"\\` }))).toEqual([
      'delivered',
    ])
    const [row] = await target.rows(table)
    expect(row).toMatchObject({ _mortise_group: `g'"\\`, _mortise_id: `1'"\\` })
    expect(row?.['text']).toBe(text.replaceAll('\u0000', '\ufffd').toWellFormed())
  })

  it('lose nothing and double nothing when a connection ends, whatever was done before', async () => {
    for (const what of ['sent', 'answered'] as const) {
      let isOver = false
      for (let after = what === 'sent' ? 0 : Math.floor(step / 2); !isOver; after += step) {
        target.cutAfter(after, what)
        // A row, a new column, a deletion, and a message that is kept.
        const one = message([
          { id: 'counted', fields: { n: after, [`${what}${after}`]: 1 } },
          { id: 'gone', deleted: true },
          { subscribeEventType: 'other', rawEvent: {} },
        ])
        for (let attempt = 0; attempt < 4; attempt++) {
          const [outcome] = await send(one).catch(() => ['retry'])
          if (outcome === 'delivered') break
          expect(attempt).toBeLessThan(3)
        }
        isOver = !target.wasCut()
        const found = await target.rows(table)
        expect(found.map((row) => [row['_mortise_id'], row['n'] === null ? null : Number(row['n'])])).toEqual([
          ['counted', after],
          ['gone', null],
        ])
        expect(new Set((await target.received()).map(({ id }) => id)).has(one.id)).toBe(true)
        expect(after).toBeLessThan(60)
      }
    }
    const ids = (await target.received()).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  }, 120_000)

  it('store the others when a record cannot be stored, which is refused with the reason', async () => {
    await send(message([{ id: '0', fields: { email: 'a@x' } }]))
    await target.makeStrict(table)
    const [result, other] = await results(
      message([
        { id: '1', fields: { email: 'good@x' } },
        { id: '2', fields: { email: 'bad' } },
        { id: '3', fields: { email: 'fine@x' } },
      ]),
      message([{ id: '4', fields: { email: 'other@x' } }]),
    )
    expect(other?.outcome).toBe('delivered')
    expect(result).toMatchObject({ outcome: 'delivered', rejected: [{ entries: [1], outcome: 'refused' }] })
    expect((await rows('_mortise_id')).map(({ _mortise_id }) => _mortise_id)).toEqual(['0', '1', '3', '4'])
  })

  it('keep messages that are not about records whole, each once', async () => {
    const event = message([{ subscribeEventType: 'other', rawEvent: { a: 1 } }], { action: 'subscribe' })
    await send(event, event)
    await send(event)
    await send(event, event)
    expect((await target.received()).map(({ id }) => id)).toEqual([event.id])
  })

  it('load records that are not in the message, and split what is too large for a request', async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ id: String(index), fields: { text: 'x'.repeat(1_000) } }))
    const byUrl = message([], { resultInfo: { type: 'url', numRecords: 300 }, result: undefined })
    await opened.close()
    opened = openForTest(kind, target.settings, { loadResult: async () => Buffer.from(JSON.stringify(many)) })
    expect(await send(byUrl)).toEqual(['delivered'])
    expect(await target.rows(table)).toHaveLength(300)
  })

  it('come back when they were dropped', async () => {
    for (const email of ['a', 'b']) await send(message([{ id: '1', fields: { email } }]))
    await target.drop(table)
    expect(await send(message([{ id: '1', fields: { email: 'c' } }]))).toEqual(['delivered'])
    expect(await rows('email')).toEqual([{ email: 'c' }])
  })

  it('test a destination without a change, and say what is missing', async () => {
    const check = () =>
      opened.sender.check?.({
        time: new Date(),
        timeoutMs: kind.limits.timeoutMs,
        signal: new AbortController().signal,
      })
    expect(await check()).toMatchObject({ outcome: 'delivered' })
    expect(await target.received()).toEqual([])
    expect(await target.columns(table)).toEqual([])
    await target.forbid()
    if (!isOpen)
      expect(await check()).toMatchObject({
        outcome: 'retry',
        error: expect.stringMatching(/create|permission|CREATE/),
      })
    await target.dropAll()
    expect(await check()).toMatchObject({
      outcome: 'retry',
      error: expect.stringMatching(/no schema|not exist|no database/),
    })
  })
})
