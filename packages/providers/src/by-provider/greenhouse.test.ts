import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What harvestdocs.greenhouse.io/reference shows as answers, as far as the provider file relies on it. */

function greenhouse({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const refusal = (...errors: unknown[]): Answer => ({ status: 422, body: { errors } })
  if (method === 'GET' && pathname === '/v3/candidates') {
    if (searchParams.has('cursor') && [...searchParams.keys()].length > 1)
      return refusal('When passing a cursor, do not include other query params.')
    if (searchParams.get('cursor') === 'c1') return { body: [{ id: 1, first_name: 'Ada' }] }
    if (searchParams.get('ids') !== null) return { body: [{ id: 2, first_name: 'Bob' }] }
    if (Number(searchParams.get('per_page')) > 500) return refusal('per_page does not have a valid value')
    const link = '<https://harvest.greenhouse.io/v3/candidates?cursor=c1>; rel="next"'
    return { headers: { link }, body: [{ id: 2, first_name: 'Bob' }] }
  }
  if (method === 'DELETE') return { body: { message: 'Candidate 3 has been deleted.' } }
  const sent = JSON.parse(body) as { last_name?: string }
  return sent.last_name === undefined
    ? refusal({ field: 'last_name', message: 'is missing' })
    : { status: method === 'POST' ? 201 : 200, body: { id: 3, ...sent } }
}

it('candidates of a window are read to the last page, whose request has the cursor alone', async () => {
  await using provider = await openProvider('greenhouse', greenhouse)
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  const request = { object: 'candidates', fields: ['first_name'], ...window }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['2', '1'])
  expect(second.nextPage).toBeUndefined()
  expect(asked(provider.seen)).toEqual([
    'GET /v3/candidates?per_page=500&updated_at=gte|2026-01-01T00:00:00Z|lte|2026-01-02T00:00:00Z',
    'GET /v3/candidates?cursor=c1',
  ])
})

it('candidates are read by their ids, fifty in one request', async () => {
  await using provider = await openProvider('greenhouse', greenhouse)
  const found = await provider.connector.fetchRecords('candidates', ['2', '9'], ['first_name'])
  expect([...found.keys()]).toEqual(['2'])
  expect(asked(provider.seen)).toEqual(['GET /v3/candidates?ids=2,9'])
  expect(provider.connector.fetchSizeMax('candidates')).toBe(50)
})

it('candidates are created, changed and deleted; a refusal lists what is wrong', async () => {
  await using provider = await openProvider('greenhouse', greenhouse)
  const { connector, seen } = provider
  const record = { first_name: 'Ada', last_name: 'Lovelace' }
  expect(await connector.write({ object: 'candidates', type: 'create', record })).toMatchObject({ recordId: '3' })
  await connector.write({ object: 'candidates', type: 'update', id: '3', record })
  await connector.write({ object: 'candidates', type: 'delete', id: '3', record: {} })
  expect(seen.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
    'POST /v3/candidates',
    'PATCH /v3/candidates/3',
    'DELETE /v3/candidates/3',
  ])
  const refused = connector.write({ object: 'candidates', type: 'create', record: { first_name: 'Ada' } })
  await expect(refused).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: 'last_name: is missing' }],
  })
})

it('job posts are read whether they are active or not', async () => {
  const posts = ({ url }: SeenRequest): Answer => ({
    body: [{ id: url.searchParams.get('active') === 'true' ? 1 : 2 }],
  })
  await using provider = await openProvider('greenhouse', posts)
  const { records } = await provider.connector.readPage({ object: 'job_posts', fields: ['id'] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
})

it('EEOC answers of a window are those that were submitted in it', async () => {
  await using provider = await openProvider('greenhouse', () => ({ body: [{ application_id: 7 }] }))
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  const { records } = await provider.connector.readPage({ object: 'eeoc', fields: 'all', ...window })
  expect(records.map(({ id }) => id)).toEqual(['7'])
  expect(asked(provider.seen)).toEqual([
    'GET /v3/eeoc?per_page=500&submitted_at=gte|2026-01-01T00:00:00Z|lte|2026-01-02T00:00:00Z',
  ])
})
