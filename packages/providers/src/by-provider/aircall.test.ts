import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.aircall.io/api-references shows as answers, as far as the provider file relies on it. */

const api = 'https://api.aircall.io/v1'
const credential = { scheme: 'basic', username: 'id', password: 'token' } as const

function aircall({ method, url }: SeenRequest): Answer {
  if (method === 'DELETE') return { status: 204 }
  if (url.pathname.startsWith('/v1/contacts')) {
    if (method === 'GET') return { body: { contact: { id: 699, first_name: 'Madelaine' } } }
    return { status: method === 'POST' ? 201 : 200, body: { contact: { id: 699, first_name: 'Madelaine' } } }
  }
  if (url.pathname !== '/v1/calls') return { status: 404, body: { error: 'Not Found', troubleshoot: 'No such user.' } }
  const isLast = url.searchParams.get('page') === '2'
  const next_page_link = isLast ? null : `${api}/calls?order=asc&page=2&per_page=50`
  return { body: { meta: { total: 2, next_page_link }, calls: [{ id: isLast ? 813 : 812, direction: 'inbound' }] } }
}

it('calls are read page by page, from a window on', async () => {
  await using provider = await openProvider('aircall', aircall, { credential })
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  const request = { object: 'calls', fields: ['direction'], ...window }
  const first = await provider.connector.readPage(request)
  expect(first).toMatchObject({ records: [{ id: '812', fields: { direction: 'inbound' } }], total: 2 })
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [{ id: '813' }], nextPage: undefined })
  expect(asked(provider.seen)).toEqual([
    'GET /v1/calls?per_page=50&order=asc&from=1767225599&to=1767312000',
    'GET /v1/calls?order=asc&page=2&per_page=50',
  ])
  expect(provider.seen[0]?.headers['authorization']).toBe(`Basic ${Buffer.from('id:token').toString('base64')}`)
})

it('calls of a longer time are read by lists of 30 days', async () => {
  await using provider = await openProvider('aircall', aircall, { credential })
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-02-01T00:00:00Z') }
  await readAll(provider.connector, { object: 'calls', fields: ['direction'], ...window })
  const first = asked(provider.seen).filter((line) => line.includes('from='))
  expect(first).toEqual([
    'GET /v1/calls?per_page=50&order=asc&from=1767225599&to=1769817598',
    'GET /v1/calls?per_page=50&order=asc&from=1769817597&to=1769904000',
  ])
})

it('a list that ends at 10,000 calls is read again by halves of its time', async () => {
  const hour = 3_600
  const many = ({ url }: SeenRequest): Answer => {
    const page = Number(url.searchParams.get('page') ?? 1)
    const [from, to] = ['from', 'to'].map((name) => Number(url.searchParams.get(name)))
    const isCut = (to ?? 0) - (from ?? 0) > 13 * hour
    const calls = Array.from({ length: isCut ? 50 : 1 }, (_, at) => ({ id: isCut ? `${page}-${at}` : `last-${from}` }))
    const next_page_link = isCut && page < 200 ? `${api}/calls?from=${from}&to=${to}&page=${page + 1}` : null
    return { body: { meta: { total: 1, next_page_link }, calls } }
  }
  await using provider = await openProvider('aircall', many, { credential })
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  const calls = await readAll(provider.connector, { object: 'calls', fields: [], ...window })
  expect(calls.slice(-2).map(({ id }) => id)).toEqual(['last-1767225599', 'last-1767268799'])
  expect(asked(provider.seen).slice(200)).toEqual([
    'GET /v1/calls?per_page=50&order=asc&from=1767225599&to=1767268800',
    'GET /v1/calls?per_page=50&order=asc&from=1767268799&to=1767312000',
  ])
})

it('contacts are fetched, made, changed and deleted; an error is told', async () => {
  await using provider = await openProvider('aircall', aircall, { credential })
  const { connector } = provider
  const object = 'contacts'
  const record = { first_name: 'Madelaine' }
  expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: '699', data: record })
  await connector.write({ object, type: 'update', id: '699', record })
  await connector.write({ object, type: 'delete', id: '699', record: {} })
  expect(await connector.fetchRecord(object, '699', ['first_name'])).toMatchObject({ id: '699', fields: record })
  expect(asked(provider.seen)).toEqual([
    'POST /v1/contacts {"first_name":"Madelaine"}',
    'POST /v1/contacts/699 {"first_name":"Madelaine"}',
    'DELETE /v1/contacts/699',
    'GET /v1/contacts/699',
  ])
  expect(connector.canWrite('calls', 'create')).toBe(false)
  await expect(connector.readPage({ object: 'users', fields: 'all' })).rejects.toMatchObject({
    class: 'not_found',
    providerMessage: 'No such user.',
  })
})

it('a key that is not valid is answered by 403, and a limit by the time when it starts again', async () => {
  const now = Date.parse('2026-11-27T00:00:00Z')
  const answers: Answer[] = [
    { status: 403, body: { message: 'Forbidden' } },
    { status: 429, headers: { 'X-AircallApi-Reset': String(now / 1000 + 60) }, body: {} },
  ]
  const answer = () => answers.shift() ?? { status: 500 }
  await using provider = await openProvider('aircall', answer, { credential, now: () => now })
  const read = () => provider.connector.readPage({ object: 'tags', fields: 'all' })
  await expect(read()).rejects.toMatchObject({ class: 'auth_invalidated', providerMessage: 'Forbidden' })
  await expect(read()).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 60_000 })
})
