import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What hire.lever.co/developer/documentation shows as answers, as far as the provider file relies on it. */

function lever({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const invalid = (message: string): Answer => ({ status: 400, body: { code: 'BadRequestError', message } })
  if (method === 'GET' && Number(searchParams.get('limit')) > 100) return invalid('limit must be at most 100')
  if (method === 'GET' && pathname === '/v1/opportunities')
    return searchParams.get('offset') === null
      ? { body: { data: [{ id: 'o1', name: 'Ada' }], hasNext: true, next: '["1423187000000","o1"]' } }
      : { body: { data: [{ id: 'o2', name: 'Bob' }], hasNext: false } }
  const parent = /opportunities\/(\w+)\/notes$/.exec(pathname)?.[1]
  if (parent !== undefined) return { body: { data: [{ id: `note-of-${parent}` }], hasNext: false } }
  if (pathname.endsWith('/offers')) return { status: 403, body: { code: 'Forbidden', message: 'offers:read' } }
  if (searchParams.get('perform_as') === null) return invalid('perform_as is required')
  if (method === 'POST') return { status: 201, body: { data: { id: 'n1', ...JSON.parse(body) } } }
  return { status: 404, body: { code: 'ResourceNotFound', message: 'Not found' } }
}

async function idsOf(object: string, window: { since?: Date; until?: Date } = {}) {
  await using provider = await openProvider('lever', lever)
  const ids = (await readAll(provider.connector, { object, fields: ['name'], ...window })).map(({ id }) => id)
  return { ids, requests: asked(provider.seen) }
}

it('opportunities of a window are read to the last page, confidential ones too', async () => {
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  const { ids, requests } = await idsOf('opportunities', window)
  expect(ids).toEqual(['o1', 'o2'])
  const range = 'confidentiality=all&updated_at_start=1767225600000&updated_at_end=1767312000000'
  expect(requests).toEqual([
    `GET /v1/opportunities?limit=100&${range}`,
    `GET /v1/opportunities?limit=100&offset=["1423187000000","o1"]&${range}`,
  ])
})

it('deleted postings are listed by 29 days, after the others of the same days', async () => {
  const day = 86_400_000
  const since = new Date('2026-01-01T00:00:00Z')
  await using provider = await openProvider('lever', ({ url }) => {
    const { pathname, searchParams } = url
    if (pathname !== '/v1/postings/deleted') return { body: { data: [], hasNext: false } }
    const start = Number(searchParams.get('deleted_at_start'))
    if (Number(searchParams.get('deleted_at_end')) - start > 30 * day) return { status: 400, body: { message: '30' } }
    return { body: { data: [{ id: `p${Math.round((start - since.getTime()) / day)}` }], hasNext: false } }
  })
  const until = new Date(since.getTime() + 40 * day)
  const window = { object: 'postings', fields: [], since, until, deletions: true }
  const found = await readAll(provider.connector, window)
  expect(found.map(({ id, deleted }) => [id, deleted])).toEqual([
    ['p0', true],
    ['p29', true],
  ])
})

it('notes are read for each opportunity; a key without the permission for offers is an error', async () => {
  expect((await idsOf('notes')).ids).toEqual(['note-of-o1', 'note-of-o2'])
  await expect(idsOf('offers')).rejects.toMatchObject({ class: 'forbidden' })
})

it('records are created and changed as a user; a refusal says why', async () => {
  await using provider = await openProvider('lever', lever)
  const { connector, seen } = provider
  const record = { perform_as: 'u1', text: 'Engineer' }
  expect(await connector.write({ object: 'postings', type: 'create', record })).toMatchObject({ recordId: 'n1' })
  await connector.write({ object: 'postings', type: 'update', id: 'p1', record })
  expect(asked(seen)).toEqual([
    'POST /v1/postings?perform_as=u1 {"text":"Engineer"}',
    'POST /v1/postings/p1?perform_as=u1 {"text":"Engineer"}',
  ])
  const refused = connector.write({ object: 'postings', type: 'create', record: { text: 'Engineer' } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'perform_as is required' })
})

it('an offset that Lever does not know any more starts the read again', async () => {
  await using provider = await openProvider('lever', ({ url }) =>
    url.searchParams.has('offset')
      ? { status: 400, body: { code: 'BadRequestError', message: 'Invalid offset token.' } }
      : { body: { data: [{ id: 'o1' }], hasNext: true, next: '["1423187000000","o1"]' } },
  )
  const first = await provider.connector.readPage({ object: 'stages', fields: [] })
  const next = provider.connector.readPage({ object: 'stages', fields: [], page: first.nextPage ?? '' })
  await expect(next).rejects.toMatchObject({ class: 'cursor_gone' })
})
