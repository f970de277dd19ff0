import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

it('iTwins are read to the last page, with inactive ones and without the limit of 1,000', async () => {
  const api = 'https://api.bentley.com'
  await using provider = await openProvider('bentley', ({ url }) => ({
    body: url.searchParams.has('$skip')
      ? { iTwins: [{ id: 'b', lastModifiedDateTime: '2026-01-02T00:00:00Z' }], _links: {} }
      : {
          iTwins: [{ id: 'a', lastModifiedDateTime: '2025-12-01T00:00:00Z' }],
          _links: { next: { href: `${api}/itwins?includeInactive=true&$top=1000&$skip=1000` } },
        },
  }))
  const request = { object: 'itwins', fields: [], since: new Date('2026-01-01T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  expect(first.records).toEqual([])
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [{ id: 'b' }], nextPage: undefined })
  expect(asked(provider.seen)).toEqual([
    'GET /itwins?includeInactive=true&$top=1000',
    'GET /itwins?includeInactive=true&$top=1000&$skip=1000',
  ])
  for (const { headers } of provider.seen)
    expect(headers).toMatchObject({ 'x-max-return': '10000', prefer: 'return=representation' })
})

it('iTwins that the user may see without being a member are read, too', async () => {
  await using provider = await openProvider('bentley', () => ({ body: { iTwins: [] } }))
  await provider.connector.readPage({ object: 'itwins', fields: [] })
  expect(provider.seen[0]?.headers['x-itwin-query-scope']).toBe('all')
})

it.each(['itwins', 'itwins/favorites'])('%s: a list that reaches the limit of a query is an error', async (object) => {
  const iTwins = Array.from({ length: 10_000 }, (_, index) => ({ id: `i${index}` }))
  await using provider = await openProvider('bentley', () => ({ body: { iTwins, _links: {} } }))
  await expect(readAll(provider.connector, { object, fields: [] })).rejects.toMatchObject({ class: 'list_truncated' })
})

it('reality data is asked for by the time of change, with both ends of the window', async () => {
  await using provider = await openProvider('bentley', () => ({ body: { realityData: [{ id: 'a' }] } }))
  const request = { object: 'reality-management/reality-data', fields: [] }
  const since = new Date('2026-01-01T00:00:00Z')
  const until = new Date('2026-01-02T00:00:00Z')
  expect((await provider.connector.readPage({ ...request, since })).records).toMatchObject([{ id: 'a' }])
  await provider.connector.readPage({ ...request, since, until })
  await provider.connector.readPage(request)
  const path = 'GET /reality-management/reality-data?$top=500'
  expect(asked(provider.seen)).toEqual([
    `${path}&modifiedDateTime=2025-12-31T23:59:59.999Z/2100-01-01T00:00:00.000Z`,
    `${path}&modifiedDateTime=2025-12-31T23:59:59.999Z/2026-01-02T00:00:00.000Z`,
    path,
  ])
})

it.each(['contextcapture/jobs', 'reality-analysis/jobs', 'realityconversion/jobs'])(
  '%s are those of each iTwin, but for iTwins whose jobs the user may not see',
  async (object) => {
    await using provider = await openProvider('bentley', ({ url: { pathname, searchParams } }) => {
      if (pathname === '/itwins') return { body: { iTwins: [{ id: 't1' }, { id: 't2' }, { id: 't3' }] } }
      const filter = searchParams.get('$filter')
      return filter === 'iTwinId eq t2' ? { status: 403 } : { body: { jobs: [{ id: `job of ${filter?.slice(-2)}` }] } }
    })
    const records = await readAll(provider.connector, { object, fields: [] })
    expect(records.map(({ id }) => id)).toEqual(['job of t1', 'job of t3'])
    expect(asked(provider.seen)).toEqual([
      'GET /itwins?includeInactive=true&$top=1000',
      ...['t1', 't2', 't3'].map((id) => `GET /${object}?$filter=iTwinId eq ${id}`),
    ])
    expect(provider.seen[0]?.headers).toMatchObject({ 'x-max-return': '10000', 'x-itwin-query-scope': 'all' })
  },
)

it.each(['library/catalogs', 'library/components'])('%s have all properties', async (object) => {
  await using provider = await openProvider('bentley', () => ({ body: { catalogs: [], components: [] } }))
  await provider.connector.readPage({ object, fields: [] })
  expect(provider.seen[0]?.headers['prefer']).toBe('return=representation')
})
