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
const shown = (query = {}) => kit.shown(query)

describe('a request', () => {
  it('gets each record as it was delivered last, those that changed longest ago first', async () => {
    await send(
      kit.message(acme, [entry('1', 'a', { mappedFields: { stage: 'lead' }, raw: { N: 1 } }), entry('2', 'b')], {
        workspace: 'eu',
      }),
      kit.message(globex, [entry('1', 'c')]),
    )
    await send(kit.message(acme, [entry('1', 'd')], { workspace: 'eu' }))
    const { body, status } = await kit.list()
    expect(status).toBe(200)
    expect(body.results.map(({ readTime, modifiedTime, ...record }) => record)).toEqual([
      {
        id: '2',
        objectName: 'contacts',
        groupRef: 'acme',
        provider: 'sampleCrm',
        workspace: 'eu',
        installationId: acme.id,
        fields: { n: 'b' },
      },
      {
        id: '1',
        objectName: 'contacts',
        groupRef: 'globex',
        provider: 'sampleCrm',
        installationId: globex.id,
        fields: { n: 'c' },
      },
      {
        id: '1',
        objectName: 'contacts',
        groupRef: 'acme',
        provider: 'sampleCrm',
        workspace: 'eu',
        installationId: acme.id,
        fields: { n: 'd' },
      },
    ])
    expect(body.pagination).toEqual({ done: true })
    for (const { readTime, modifiedTime } of body.results)
      for (const time of [readTime, modifiedTime]) expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000)
  })

  it('gets what the filters select, in pages that neither repeat nor miss one', async () => {
    const many = (n: number) => Array.from({ length: n }, (_, index) => entry(`r${index}`, index))
    await send(kit.message(acme, many(25)), kit.message(globex, many(7)))
    for (const pageSize of [1, 7, 25, 100]) {
      expect((await kit.listAll({ pageSize })).all).toHaveLength(32)
      expect((await kit.listAll({ pageSize, groupRef: 'globex' })).all.map(({ id }) => id)).toEqual(
        many(7).map(({ id }) => id),
      )
      expect((await kit.listAll({ pageSize, installationId: acme.id })).all).toHaveLength(25)
      expect((await kit.listAll({ pageSize, provider: 'sampleCrm' })).all).toHaveLength(32)
      expect((await kit.listAll({ pageSize, provider: 'other' })).all).toEqual([])
    }
    for (const query of [{ groupRef: 'nobody' }, { installationId: 'x' }])
      expect((await kit.listAll(query)).all).toEqual([])
    const now = new Date(Date.now() + 3_600_000).toISOString()
    expect(await shown({ modifiedAfter: now })).toEqual([])
    expect(await shown({ modifiedAfter: '2020-01-01T00:00:00Z', groupRef: 'globex' })).toHaveLength(7)
  })

  it('lists deleted records as marks without content, and leaves them out on request', async () => {
    await send(kit.message(acme, [entry('1', 'a'), entry('2', 'b')]))
    await send(kit.message(acme, [{ id: '1', fields: {}, deleted: true }]))
    expect(await shown()).toEqual([
      ['2', 'acme', 'b'],
      ['1', 'acme', 'deleted'],
    ])
    const [, mark] = (await kit.list()).body.results
    expect(mark).not.toHaveProperty('fields')
    expect(await shown({ includeDeleted: false })).toEqual([['2', 'acme', 'b']])
    await send(kit.message(acme, [entry('1', 'again')]))
    expect(await shown({ includeDeleted: false })).toEqual([
      ['2', 'acme', 'b'],
      ['1', 'acme', 'again'],
    ])
  })

  it('ends a page early where records are large', async () => {
    const large = 'x'.repeat(1_500_000)
    for (const id of ['1', '2', '3', '4', '5'])
      await send({
        ...kit.message(acme, undefined, { resultInfo: { type: 'url', numRecords: 1, downloadUrl: '' } }),
        result: Buffer.from(JSON.stringify([entry(id, large)])),
      })
    const first = await kit.list()
    expect(first.body.results.length).toBeGreaterThan(0)
    expect(first.body.results.length).toBeLessThan(5)
    expect((await kit.listAll()).all.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5'])
  })

  it('names the objects', async () => {
    await send(kit.message(acme, [entry('1', 1)]), kit.message(acme, [entry('1', 1)], { objectName: 'a/b c' }))
    const { body } = await kit.app.call<object[]>('GET', `${kit.base}/records`)
    expect(body).toEqual([
      { objectName: 'a/b c', destinationName: store.name, modifiedTime: expect.any(String) },
      { objectName: 'contacts', destinationName: store.name, modifiedTime: expect.any(String) },
    ])
    expect((await kit.list({}, 'a/b c')).body.results).toHaveLength(1)
  })

  it.each([
    ['cursor', { cursor: 'x' }],
    ['cursor', { cursor: '' }],
    ['cursor', { cursor: 'A'.repeat(34) }],
    ['cursor', { cursor: `AQ${'_'.repeat(32)}` }],
    ['pageToken', { pageToken: '\u0000' }],
    ['pageSize', { pageSize: 0 }],
    ['pageSize', { pageSize: 1_001 }],
    ['modifiedAfter', { modifiedAfter: 'yesterday' }],
    ['includeDeleted', { includeDeleted: 'maybe' }],
    ['destination', { destination: 'other' }],
  ])('with a bad %s gets a problem that names it', async (name, query) => {
    await send(kit.message(acme, [entry('1', 1)]))
    const { status, body } = await kit.list(query)
    expect([status, body.issues?.map((issue) => issue.name)]).toEqual([400, [name]])
  })

  it('with the cursor of another object, other filters or another store is refused', async () => {
    await send(kit.message(acme, [entry('1', 1)]), kit.message(acme, [entry('1', 1)], { objectName: 'deals' }))
    const cursor = (await kit.list()).body.nextCursor
    expect((await kit.list({ cursor }, 'deals')).status).toBe(400)
    expect((await kit.list({ cursor, groupRef: 'acme' })).status).toBe(400)
    expect((await kit.list({ cursor, pageToken: cursor })).status).toBe(400)
    expect((await kit.list({ cursor, pageSize: 7 })).status).toBe(200)
    expect((await kit.list({ pageToken: cursor })).status).toBe(200)
    const other = await kit.createStore('other')
    expect((await kit.list({ cursor })).body.issues?.map(({ name }) => name)).toEqual(['destination'])
    expect((await kit.list({ cursor, destination: other.name })).status).toBe(400)
    expect((await kit.list({ cursor, destination: store.id })).status).toBe(200)
  })

  it('without a store or an object says so', async () => {
    expect((await kit.list()).body.context?.code).toBe('record-object-not-found')
    expect((await kit.app.call('GET', `${kit.base}/records`)).body).toEqual([])
    await kit.app.call('DELETE', `${kit.base}/destinations/${store.id}`)
    for (const path of ['', '/contacts']) {
      const { status, body } = await kit.app.call<{ context: { code: string } }>('GET', `${kit.base}/records${path}`)
      expect([status, body.context.code]).toEqual([404, 'records-not-stored'])
    }
  })

  it('of another project finds nothing', async () => {
    await send(kit.message(acme, [entry('1', 1)]))
    const cursor = (await kit.list()).body.nextCursor
    const { id, apiKey } = kit.app.otherProject
    for (const query of ['', `?cursor=${cursor}`, `?destination=${store.id}`]) {
      const answer = await kit.app.call<{ context: { code: string } }>(
        'GET',
        `/projects/${id}/records/contacts${query}`,
        undefined,
        { apiKey },
      )
      expect([answer.status, answer.body.context.code]).toEqual([404, 'records-not-stored'])
    }
  })
})

describe('a cursor', () => {
  it('returns later what has changed since, once, and nothing that did not change', async () => {
    await send(kit.message(acme, [entry('1', 'a'), entry('2', 'b'), entry('3', 'c')]))
    const first = await kit.listAll({ pageSize: 2 })
    expect(first.all).toHaveLength(3)
    expect((await kit.listAll({ cursor: first.cursor })).all).toEqual([])
    await send(kit.message(acme, [entry('1', 'a'), entry('2', 'new')]))
    await send(kit.message(acme, [{ id: '3', deleted: true }]))
    const second = await kit.listAll({ cursor: first.cursor })
    expect(second.all.map(({ id, fields, deletedTime }) => [id, fields?.['n'] ?? (deletedTime && 'deleted')])).toEqual([
      ['2', 'new'],
      ['3', 'deleted'],
    ])
    expect((await kit.listAll({ cursor: second.cursor })).all).toEqual([])
    const again = await kit.listAll({ cursor: first.cursor })
    expect(again.all).toEqual(second.all)
  })

  it('misses nothing while many deliveries store records at the same time', async () => {
    const seen = new Map<string, unknown>()
    let cursor: string | undefined
    const poll = async () => {
      const page = await kit.listAll({ pageSize: 5, ...(cursor !== undefined && { cursor }) })
      for (const { id, fields } of page.all) seen.set(id, fields?.['n'])
      cursor = page.cursor
    }
    await send(kit.message(acme, [entry('0', 0)]))
    let isDone = false
    const polling = (async () => {
      while (!isDone) await poll()
    })()
    for (let round = 1; round <= 12; round++) {
      await kit.post(
        store.name,
        ...Array.from({ length: 4 }, (_, part) =>
          kit.message(
            acme,
            Array.from({ length: 3 }, (_, one) => entry(`${part}-${one}`, round)),
          ),
        ),
      )
      await Promise.all([1, 2, 3].map(() => kit.deliver(store.id)))
    }
    isDone = true
    await polling
    await poll()
    expect(seen).toEqual(new Map((await kit.listAll()).all.map(({ id, fields }) => [id, fields?.['n']])))
    expect(seen.size).toBe(13)
    expect([...seen.values()].filter((n) => n === 12)).toHaveLength(12)
  })

  it('waits for a transaction that took a position before, and has not committed', async () => {
    await send(kit.message(acme, [entry('1', 1)]))
    const { cursor } = await kit.listAll()
    await kit.post(store.name, kit.message(acme, [entry('2', 2)]), kit.message(acme, [entry('3', 3)]))
    let delivering: Promise<unknown> | undefined
    await kit.app.db.transaction(async (tx) => {
      await sql`update record_stores set position = position + 1 where destination_id = ${store.id}`.execute(tx.sql)
      delivering = kit.deliver(store.id)
      // Whatever was stored meanwhile, a position that is taken is not passed.
      expect((await kit.listAll({ cursor })).all).toEqual([])
    })
    await delivering
    expect((await kit.listAll({ cursor })).all.map(({ id }) => id).toSorted()).toEqual(['2', '3'])
  })

  it('expires when deletions are forgotten that it would have shown', async () => {
    await send(kit.message(acme, [entry('1', 1), entry('2', 2)]))
    const old = (await kit.list()).body.nextCursor
    await send(kit.message(acme, [{ id: '1', deleted: true }]))
    const current = (await kit.list()).body.nextCursor
    kit.app.clock.advance(40 * 86_400_000)
    await kit.clean()
    kit.app.clock.advance(-40 * 86_400_000)
    expect(await shown()).toEqual([['2', 'acme', 2]])
    const expired = await kit.list({ cursor: old })
    expect([expired.status, expired.body.context?.code]).toEqual([410, 'records-cursor-expired'])
    expect((await kit.list({ cursor: current })).status).toBe(200)
    // A client that begins now has not seen the record.
    expect((await kit.listAll({ pageSize: 1 })).all).toHaveLength(1)
  })
})
