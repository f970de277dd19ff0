import { expect, it } from 'vitest'
import { createConnector, loadCatalogue } from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

it('children are read to their last page, for each record, only when asked for by name', async () => {
  await using server = await startServer(({ url }) => {
    const cursor = url.searchParams.get('cursor')
    if (url.pathname === '/api/v2/deals/archived') return { body: { success: true, data: [] } }
    if (url.pathname === '/api/v2/deals') {
      const data = Array.from({ length: 6 }, (_, index) => ({ id: index, custom_fields: { Hash1: index } }))
      return { body: { success: true, data, additional_data: { next_cursor: null } } }
    }
    const id = Number(url.pathname.split('/')[4])
    const data = [{ deal: id, part: cursor ?? 'first' }]
    return { body: { success: true, data, additional_data: { next_cursor: cursor === null ? 'second' : null } } }
  })
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('pipedrive')
  if (entry === undefined) throw new Error('no pipedrive')
  const rewrite = { from: 'https://api.pipedrive.com', to: server.origin }
  const connection = { module: 'crm', metadata: {}, credential: { scheme: 'apiKey', apiKey: 'k1' } } as const
  const connector = createConnector(entry, connection, plainHttp(fetch, rewrite))

  const all = await connector.readPage({ object: 'deals', fields: 'all' })
  expect(all.records[2]).toMatchObject({ id: '2', fields: { id: 2, hash1: 2 } })
  expect(server.seen.map(({ url }) => url.pathname)).toEqual(['/api/v2/deals', '/api/v2/deals/archived'])
  expect(server.seen[0]?.headers['x-api-token']).toBe('k1')

  const { records } = await connector.readPage({ object: 'deals', fields: ['id', 'products'] })
  for (const [id, record] of records.entries()) {
    const products = [
      { deal: id, part: 'first' },
      { deal: id, part: 'second' },
    ]
    expect(record).toEqual({
      id: String(id),
      fields: { id, products },
      raw: { id, custom_fields: { Hash1: id }, products },
    })
  }
})

it('records are read by their ids, a hundred in one request; what is gone is left out', async () => {
  const there = new Set(Array.from({ length: 150 }, (_, index) => String(index + 1)))
  await using server = await startServer(({ url }) => {
    const asked = url.searchParams.get('ids')?.split(',') ?? []
    const data = asked.filter((id) => there.has(id)).map((id) => ({ id: Number(id), custom_fields: { Hash1: id } }))
    return { body: { success: true, data, additional_data: { next_cursor: null } } }
  })
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('pipedrive')
  if (entry === undefined) throw new Error('no pipedrive')
  const rewrite = { from: 'https://api.pipedrive.com', to: server.origin }
  const connection = { module: 'crm', metadata: {}, credential: { scheme: 'apiKey', apiKey: 'k1' } } as const
  const connector = createConnector(entry, connection, plainHttp(fetch, rewrite))

  const found = await connector.fetchRecords('persons', [...there, '999'], ['id', 'Hash1'])
  expect([...found.keys()]).toEqual([...there])
  expect(found.get('7')).toMatchObject({ id: '7', fields: { id: 7, hash1: '7' } })
  expect(server.seen.map(({ url }) => [url.pathname, url.searchParams.get('limit')])).toEqual([
    ['/api/v2/persons', '100'],
    ['/api/v2/persons', '100'],
  ])
  for (const object of ['activities', 'organizations', 'products'])
    expect([object, connector.fetchSizeMax(object)]).toEqual([object, 100])
  // A request by ids leaves archived deals out.
  for (const object of ['deals', 'stages']) expect(connector.fetchSizeMax(object)).toBe(1)
})

it('persons are found by an email address, and read as a whole', async () => {
  const person = { id: 7, name: 'Ada', emails: [{ value: 'ada@example.com' }], custom_fields: { Hash1: 'x' } }
  await using provider = await openProvider(
    'pipedrive',
    ({ url }) => {
      const items = [{ result_score: 1, item: { id: 7, type: 'person', emails: ['ada@example.com'] } }]
      const found = url.pathname.endsWith('/search') ? { items } : person
      return { body: { success: true, data: found, additional_data: { next_cursor: null } } }
    },
    { module: 'crm', credential: { scheme: 'apiKey', apiKey: 'k1' } },
  )
  const search = (...fields: string[]) =>
    provider.connector.search({
      object: 'persons',
      fields: ['Hash1'],
      filters: fields.map((field) => ({ field, operator: 'eq', value: 'ada@example.com' })),
    })
  expect((await search('emails')).records).toMatchObject([{ id: '7', fields: { hash1: 'x' } }])
  const [first, second] = asked(provider.seen)
  expect(first).toBe('GET /api/v2/persons/search?limit=500&term=ada@example.com&fields=email&exact_match=true')
  expect(second).toBe('GET /api/v2/persons/7')
  await expect(search('emails', 'name')).rejects.toMatchObject({ class: 'bad_request' })
  await expect(search('label')).rejects.toMatchObject({ name: 'FieldsNotSearchable' })
})

it('archived leads are read after the others, and dropped if they did not change in the window', async () => {
  await using provider = await openProvider(
    'pipedrive',
    ({ url }) => {
      const isArchived = url.pathname.endsWith('/archived')
      const data = isArchived
        ? [
            { id: 'b', update_time: '2026-03-01T10:00:00.000Z' },
            { id: 'c', update_time: '2020-01-01T10:00:00.000Z' },
          ]
        : [{ id: 'a', update_time: '2026-03-01T09:00:00.000Z' }]
      return { body: { success: true, data, additional_data: { pagination: { more_items_in_collection: false } } } }
    },
    { module: 'crm', credential: { scheme: 'apiKey', apiKey: 'k1' } },
  )
  const { connector, seen } = provider
  const window = { since: new Date('2026-03-01T00:00:00Z'), until: new Date('2026-03-02T00:00:00Z') }
  const found = await readAll(connector, { object: 'leads', fields: 'all', ...window })
  expect(found.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(asked(seen).filter((line) => line.includes('leads'))).toEqual([
    'GET /v1/leads?start=0&limit=500&updated_since=2026-03-01T00:00:00Z',
    'GET /v1/leads/archived?start=0&limit=500&updated_since=2026-03-01T00:00:00Z',
  ])
})

it.each(['deals', 'leads', 'projects'])(
  'without its list of archived ones, %s are read; ids are not',
  async (object) => {
    const body = { success: true, data: [{ id: 'a', update_time: '2026-03-01T09:00:00.000Z' }] }
    await using provider = await openProvider(
      'pipedrive',
      ({ url }) => (url.pathname.endsWith('/archived') ? { status: 403, body: { success: false } } : { body }),
      { module: 'crm', credential: { scheme: 'apiKey', apiKey: 'k1' } },
    )
    const { connector } = provider
    expect((await readAll(connector, { object, fields: ['id'] })).map(({ id }) => id)).toEqual(['a'])
    // Archived records would be missing, and be taken for deleted.
    const read = readAll(connector, { object, fields: [], idsOnly: true })
    await expect(read).rejects.toMatchObject({ class: 'forbidden' })
  },
)

it('projects, tasks and templates of version 1 have cursors, and archived projects are not left out', async () => {
  await using provider = await openProvider(
    'pipedrive',
    ({ url }) => {
      const cursor = url.searchParams.get('cursor')
      return {
        body: { success: true, data: [{ id: cursor ? 2 : 1 }], additional_data: { next_cursor: cursor ? null : 'c2' } },
      }
    },
    { module: 'legacy', credential: { scheme: 'apiKey', apiKey: 'k1' } },
  )
  for (const object of ['projects', 'projectTemplates', 'tasks']) {
    const found = await readAll(provider.connector, { object, fields: 'all' })
    expect(found.map(({ id }) => id)).toEqual(['1', '2'])
  }
  expect(asked(provider.seen).slice(0, 2)).toEqual([
    'GET /v1/projects?limit=500&include_archived=true',
    'GET /v1/projects?cursor=c2&limit=500&include_archived=true',
  ])
})

it('fields are listed by their codes, with cursors', async () => {
  const answer = ({ url }: SeenRequest): Answer => {
    if (url.pathname !== '/api/v2/dealFields') return { status: 404, body: { success: false } }
    const isLast = url.searchParams.get('cursor') === 'c2'
    const data = [{ field_code: isLast ? 'a'.repeat(40) : 'title', field_name: 'Title', field_type: 'varchar' }]
    return { body: { success: true, data, additional_data: { next_cursor: isLast ? null : 'c2' } } }
  }
  await using provider = await openProvider('pipedrive', answer, { module: 'crm' })
  const records = await readAll(provider.connector, { object: 'dealFields', fields: ['field_name'] })
  expect(records.map(({ id }) => id)).toEqual(['title', 'a'.repeat(40)])
  expect(asked(provider.seen)).toEqual([
    'GET /api/v2/dealFields?limit=500',
    'GET /api/v2/dealFields?limit=500&cursor=c2',
  ])
})
