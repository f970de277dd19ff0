import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { entry, type RecordMessage, type RecordsKit, startRecordsKit } from './records.testkit.ts'

let kit: RecordsKit
let acme: { id: string; groupRef: string }
let globex: { id: string; groupRef: string }
let store: { id: string; name: string }
beforeAll(async () => {
  kit = await startRecordsKit()
  ;[acme, globex] = [await kit.install('acme'), await kit.install('globex')]
})
afterAll(() => kit?.stop())
beforeEach(async () => {
  store = await kit.createOnlyStore()
})

const send = (...messages: RecordMessage[]) => kit.send(store, ...messages)
const states = async () =>
  (await kit.app.call<{ state: string }[]>('GET', `${kit.base}/messages?destination=${store.id}`)).body.map(
    ({ state }) => state,
  )
const shown = (query = {}) => kit.shown(query)

const rows = async (table: 'records' | 'record_stores' | 'record_removals') =>
  (await sql<{ n: number }>`select count(*)::int as n from ${sql.table(table)}`.execute(kit.app.db.sql)).rows[0]?.n

describe('messages', () => {
  it('give the same records in any order and however often they arrive', async () => {
    const messages = [
      [entry('1', 'first')],
      [{ id: '1', subscribeEventType: 'update' }],
      [{ id: '1', deleted: true }],
      [entry('1', 'last'), entry('2', 'x')],
      [
        { id: '1', subscribeEventType: 'update' },
        { id: '2', subscribeEventType: 'delete' },
      ],
    ].map((entries) => kit.message(acme, entries))
    await kit.post(store.name, ...messages)
    const { rows: posted } = await sql<{ id: string }>`
      select id from messages where destination_id = ${store.id} order by id`.execute(kit.app.db.sql)
    const ids = posted.map(({ id }) => id)
    const expected = [
      ['1', 'acme', 'last'],
      ['2', 'acme', 'deleted'],
    ]
    for (let order = 0; order < 24; order++) {
      await sql`delete from records`.execute(kit.app.db.sql)
      for (const id of permuted(ids, order)) {
        await sql`update messages set state = 'pending', end_time = null, next_attempt_at = now()
                   where id = ${id}`.execute(kit.app.db.sql)
        await kit.deliver(store.id)
      }
      expect((await shown()).toSorted()).toEqual(expected)
    }
  })

  it('with the same id and another account, group or object are other records', async () => {
    await send(
      kit.message(acme, [entry('1', 'a')], { workspace: 'one' }),
      kit.message(acme, [entry('1', 'b')], { workspace: 'two' }),
      kit.message(globex, [entry('1', 'c')]),
      kit.message(acme, [entry('1', 'd')], { objectName: 'deals' }),
    )
    expect(await shown()).toEqual(
      [
        ['1', 'acme', 'a'],
        ['1', 'acme', 'b'],
        ['1', 'globex', 'c'],
      ].toSorted(),
    )
  })

  it('that are large are stored in several transactions, each record once and with its own content', async () => {
    const text = (at: number) => `${at} ${'x'.repeat(400_000)}`
    await send(...Array.from({ length: 8 }, (_, at) => kit.message(acme, [entry(String(at), text(at))])))
    const { rows } = await sql<{ n: number }>`
      select count(distinct xmin::text)::int as n from records`.execute(kit.app.db.sql)
    expect(rows[0]?.n).toBeGreaterThan(1)
    expect((await shown()).toSorted()).toEqual(Array.from({ length: 8 }, (_, at) => [String(at), 'acme', text(at)]))
    expect(await states()).toEqual(Array.from({ length: 8 }, () => 'delivered'))
  })

  it('of several accounts, some deleted, keep what each says of its records', async () => {
    await send(
      kit.message(acme, [entry('1', 'a'), { id: '2', deleted: true }, entry('3', 'c')], { workspace: 'one' }),
      kit.message(globex, [{ id: '1', deleted: true }, entry('2', 'b')], { provider: 'other' }),
    )
    const all = (await kit.listAll()).all.map(({ id, groupRef, provider, workspace, installationId, ...record }) => [
      [id, groupRef, provider, workspace, installationId],
      record.deletedTime === undefined ? record.fields : record.deletedTime === record.readTime,
    ])
    expect(all).toEqual([
      [['1', 'acme', 'sampleCrm', 'one', acme.id], { n: 'a' }],
      [['2', 'acme', 'sampleCrm', 'one', acme.id], true],
      [['3', 'acme', 'sampleCrm', 'one', acme.id], { n: 'c' }],
      [['1', 'globex', 'other', undefined, globex.id], true],
      [['2', 'globex', 'other', undefined, globex.id], { n: 'b' }],
    ])
  })

  it('about no record become dead letters, and the records of such a message are stored', async () => {
    await send(
      kit.message(acme, [entry('1', 'a'), { subscribeEventType: 'other', rawEvent: { x: 1 } }], {
        action: 'subscribe',
      }),
      { kind: 'notification', payload: Buffer.from('{"notificationType":"read.backfill.done","data":{}}') },
    )
    expect(await shown()).toEqual([['1', 'acme', 'a']])
    const { body } = await kit.app.call<{ reason: string }[]>('GET', `${kit.base}/dead-letters?destination=${store.id}`)
    expect(body.map(({ reason }) => reason)).toEqual(['refused', 'refused'])
    const test = await kit.app.call<{ delivered: boolean }>('POST', `${kit.base}/destinations/${store.id}:test`)
    expect(test.body.delivered).toBe(true)
  })

  it.each([
    ['a long name of the object', { objectName: 'x'.repeat(600) }],
    ['a NUL in a name', { workspace: 'a\0b' }],
    ['no installation', { installationId: 'x' }],
    ['no list', { result: { id: '1' } }],
  ])('with %s are refused, and others are stored', async (_, more) => {
    await send(kit.message(acme, [entry('1', 'bad')], more), kit.message(acme, [entry('2', 'good')]))
    expect(await shown()).toEqual([['2', 'acme', 'good']])
    expect((await states()).toSorted()).toEqual(['delivered', 'failed'])
  })

  it('keep hostile ids and values as they are', async () => {
    const values = ['\u0000', '\ud800', '"\\', '{{groupRef}}', 'é'.repeat(3_000), { a: [null, 1e300, false] }]
    await send(
      kit.message(
        acme,
        values.map((value, index) => entry(`${index} ${"'".repeat(5_000)}`, value)),
      ),
    )
    const found = (await kit.listAll()).all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(found.map(({ fields }) => fields?.['n'])).toEqual(values)
    expect(found[0]?.id).toHaveLength(5_002)
  })
})

describe('contents', () => {
  const stored = async () =>
    (
      await sql<{ content: string | null; encrypted_content: string | null }>`
        select content, encrypted_content from records`.execute(kit.app.db.sql)
    ).rows

  it('are encrypted, unless the destination says otherwise', async () => {
    await sql`delete from records`.execute(kit.app.db.sql)
    await send(kit.message(acme, [entry('1', 'Ada Lovelace')]))
    const [row] = await stored()
    expect(row?.content).toBe(null)
    expect(row?.encrypted_content).toMatch(/^v1\./)
    expect(JSON.stringify(await stored())).not.toContain('Lovelace')
    const patched = await kit.app.call('PATCH', `${kit.base}/destinations/${store.id}`, {
      updateMask: ['metadata.encryption'],
      destination: { metadata: { encryption: false } },
    })
    expect(patched.status).toBe(200)
    const { cursor } = await kit.listAll()
    await send(kit.message(acme, [entry('1', 'Ada Lovelace')]))
    expect(await stored()).toEqual([{ content: '{"fields":{"n":"Ada Lovelace"}}', encrypted_content: null }])
    expect((await kit.listAll({ cursor })).all).toEqual([])
    expect(await shown()).toEqual([['1', 'acme', 'Ada Lovelace']])
  })
})

describe('what is deleted', () => {
  it('with an installation is not shown any more, and is erased soon', async () => {
    const customer = await kit.install('leaving')
    await send(kit.message(customer, [entry('1', 'x')]), kit.message(acme, [entry('1', 'y')]))
    await kit.post(store.name, kit.message(customer, [entry('2', 'late')]))
    expect((await kit.app.call('DELETE', `${kit.path()}/${customer.id}`)).status).toBe(204)
    expect(await shown()).toEqual([['1', 'acme', 'y']])
    await kit.deliver(store.id)
    await kit.clean()
    expect(await shown()).toEqual([['1', 'acme', 'y']])
    const left = await sql`select from records where installation_id = ${customer.id}`.execute(kit.app.db.sql)
    expect(left.rows).toEqual([])
    expect(await rows('record_removals')).toBe(0)
  })

  it('with a destination goes away, also where its type changes', async () => {
    await send(kit.message(acme, [entry('1', 'x')]))
    const changed = await kit.app.call('PATCH', `${kit.base}/destinations/${store.id}`, {
      updateMask: ['type', 'metadata', 'secrets'],
      destination: { type: 'webhook', metadata: { url: 'https://203.0.114.5/hooks' }, secrets: {} },
    })
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    expect((await kit.list()).body.context?.code).toBe('records-not-stored')
    await kit.clean()
    expect([await rows('records'), await rows('record_stores')]).toEqual([0, 0])
    const back = await kit.app.call('PATCH', `${kit.base}/destinations/${store.id}`, {
      updateMask: ['type', 'metadata', 'secrets'],
      destination: { type: 'records', metadata: {}, secrets: {} },
    })
    expect(back.status).toBe(200)
    await send(kit.message(acme, [entry('2', 'z')]))
    expect(await shown()).toEqual([['2', 'acme', 'z']])
    await kit.app.call('DELETE', `${kit.base}/destinations/${store.id}`)
    await kit.clean()
    expect([await rows('records'), await rows('record_stores')]).toEqual([0, 0])
  })

  it('after the retention, if no message has named it', async () => {
    await kit.app.call('PATCH', `${kit.base}/destinations/${store.id}`, {
      updateMask: ['metadata.retentionDays'],
      destination: { metadata: { retentionDays: 3 } },
    })
    await send(kit.message(acme, [entry('1', 'x'), entry('2', 'y'), entry('3', 'z')]))
    await send(kit.message(acme, [{ id: '3', deleted: true }]))
    await sql`update records set touched_on = touched_on - 5`.execute(kit.app.db.sql)
    await send(kit.message(acme, [entry('2', 'y')]))
    await kit.clean()
    // A mark stays as long as messages do, because one of them could bring the record back.
    expect((await shown()).toSorted()).toEqual([
      ['2', 'acme', 'y'],
      ['3', 'acme', 'deleted'],
    ])
  })
})

/** The order of this number, of all orders of some items. */
function permuted<T>(items: readonly T[], number: number): T[] {
  const left = [...items]
  const ordered: T[] = []
  for (let rest = number; left.length > 0; ) {
    const [at, base] = [rest % left.length, left.length]
    rest = Math.floor(rest / base)
    ordered.push(...left.splice(at, 1))
  }
  return ordered
}
