import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What docs.lemonsqueezy.com/api shows, as far as the provider file relies on it. */

function lemonSqueezy({ method, url, headers, body }: SeenRequest): Answer {
  const type = 'application/vnd.api+json'
  if (headers['accept'] !== type || (method !== 'GET' && headers['content-type'] !== type)) return { status: 406 }
  if (method !== 'GET') {
    const { data } = JSON.parse(body) as { data: { attributes?: { email?: string } } }
    const errors = [{ detail: 'The email field is required.', status: '422', title: 'Unprocessable Entity' }]
    return data.attributes?.email === undefined
      ? { status: 422, body: { errors } }
      : { status: 201, body: { data: { id: '9', ...data } } }
  }
  const size = Number(url.searchParams.get('page[size]'))
  const number = Number(url.searchParams.get('page[number]'))
  if (!(size >= 1 && size <= 100)) return { status: 400 }
  const all = [3, 2, 1].map((day) => ({
    type: 'customers',
    id: String(day),
    attributes: { name: `N${day}`, updated_at: `2026-01-0${day}T00:00:00.000000Z` },
  }))
  const page = { currentPage: number, lastPage: Math.ceil(3 / size), perPage: size, total: 3 }
  return { body: { meta: { page }, data: all.slice((number - 1) * size, number * size) } }
}

const open = () => openProvider('lemonSqueezy', lemonSqueezy, { credential: { scheme: 'apiKey', apiKey: 'key' } })

it('customers are read to the last page, those that changed', async () => {
  await using provider = await open()
  const request = { object: 'customers', fields: ['name'], pageSize: 2, since: new Date('2026-01-03T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(first.records).toMatchObject([{ id: '3', fields: { name: 'N3' } }])
  expect([second.records, second.nextPage]).toEqual([[], undefined])
  expect(asked(provider.seen)).toEqual([
    'GET /v1/customers?page[size]=2&page[number]=1',
    'GET /v1/customers?page[size]=2&page[number]=2',
  ])
})

it('customers are written as JSON:API has it', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const relationships = { store: { data: { type: 'stores', id: '1' } } }
  const record = { name: 'Ada', email: 'ada@example.com', relationships }
  expect((await connector.write({ object: 'customers', type: 'create', record })).recordId).toBe('9')
  await connector.write({ object: 'customers', type: 'update', id: '9', record: { email: 'bo@example.com' } })
  expect(seen.map(({ method, url, body }) => [method, url.pathname, JSON.parse(body)])).toEqual([
    [
      'POST',
      '/v1/customers',
      { data: { type: 'customers', attributes: { name: 'Ada', email: 'ada@example.com' }, relationships } },
    ],
    ['PATCH', '/v1/customers/9', { data: { type: 'customers', id: '9', attributes: { email: 'bo@example.com' } } }],
  ])
})

it('a deleted customer is archived, and usage is written for an item of a subscription', async () => {
  await using provider = await openProvider('lemonSqueezy', () => ({ body: { data: { id: '9' } } }), {
    credential: { scheme: 'apiKey', apiKey: 'key' },
  })
  const { connector, seen } = provider
  await connector.write({ object: 'customers', type: 'delete', id: '9', record: {} })
  const relationships = { 'subscription-item': { data: { type: 'subscription-items', id: '1' } } }
  const record = { quantity: 5, action: 'increment', relationships }
  await connector.write({ object: 'usage-records', type: 'create', record })
  expect(seen.map(({ method, url, body }) => [method, url.pathname, JSON.parse(body)])).toEqual([
    ['PATCH', '/v1/customers/9', { data: { type: 'customers', id: '9', attributes: { status: 'archived' } } }],
    [
      'POST',
      '/v1/usage-records',
      { data: { type: 'usage-records', attributes: { quantity: 5, action: 'increment' }, relationships } },
    ],
  ])
})

it('what Lemon Squeezy refuses is an error with its reasons', async () => {
  await using provider = await open()
  const refused = provider.connector.write({ object: 'customers', type: 'create', record: { name: 'Ada' } })
  await expect(refused).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'The email field is required.',
  })
})

it('files have another name for the time of their change', async () => {
  const file = (id: string, updatedAt: string) => ({ type: 'files', id, attributes: { name: 'a.zip', updatedAt } })
  const data = [file('2', '2026-01-03T00:00:00.000000Z'), file('1', '2026-01-02T00:00:00.000000Z')]
  const answer = { body: { meta: { page: { currentPage: 1, lastPage: 1, perPage: 100, total: 2 } }, data } }
  const credential = { scheme: 'apiKey', apiKey: 'key' } as const
  await using provider = await openProvider('lemonSqueezy', () => answer, { credential })
  const request = { object: 'files', fields: ['name'], since: new Date('2026-01-03T00:00:00Z') }
  expect((await provider.connector.readPage(request)).records.map(({ id }) => id)).toEqual(['2'])
})
