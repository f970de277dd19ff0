import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.bigcommerce.com/docs shows, as far as the provider file relies on it. */

function bigCommerce({ method, url, body }: SeenRequest): Answer {
  const path = url.pathname.replace('/stores/s1', '')
  const asks = url.searchParams
  if (method === 'POST') {
    const [customer] = JSON.parse(body) as [{ email?: string }]
    const errors = { '.0.email': 'The email is required.' }
    return customer.email === undefined
      ? { status: 422, body: { status: 422, title: 'Create customers failed.', errors } }
      : { body: { data: [{ id: 9, ...customer }], meta: {} } }
  }
  if (method === 'DELETE') return { status: 204 }
  const limit = Number(asks.get('limit'))
  if (!(limit <= 250)) return { status: 422, body: { title: 'Invalid limit' } }
  const all = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]
  if (path === '/v3/catalog/products')
    return { body: { data: all.filter(({ id }) => id > Number(asks.get('id:greater') ?? 0)).slice(0, limit) } }
  if (path === '/v2/orders') {
    const found = asks.get('min_date_modified')?.startsWith('2029') ? [] : all
    const left = found.filter(({ id }) => id >= Number(asks.get('min_id') ?? 0)).slice(0, limit)
    return left.length === 0 ? { status: 204 } : { body: left }
  }
  const page = Number(asks.get('page'))
  const pagination = { total: 4, current_page: page, total_pages: Math.ceil(4 / limit) }
  return { body: { data: all.slice((page - 1) * limit, page * limit), meta: { pagination } } }
}

const open = () =>
  openProvider('bigCommerce', bigCommerce, {
    metadata: { storeHash: 's1' },
    credential: { scheme: 'apiKey', apiKey: 'key' },
  })

it('products, orders and customers are read to the last page, those that changed', async () => {
  await using provider = await open()
  for (const object of ['products', 'orders', 'customers']) {
    const request = { object, fields: ['name'], pageSize: 3, since: new Date('2026-01-01T00:00:00Z') }
    const first = await provider.connector.readPage(request)
    const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
    expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['1', '2', '3', '4'])
    expect(second.nextPage).toBeUndefined()
  }
  expect(asked(provider.seen).filter((_, index) => index % 2 === 1)).toEqual([
    'GET /stores/s1/v3/catalog/products?limit=3&sort=id&direction=asc&id:greater=3&date_modified:min=2025-12-31T23:59:59Z',
    'GET /stores/s1/v2/orders?limit=3&sort=id:asc&min_id=3&min_date_modified=2025-12-31T23:59:59Z',
    'GET /stores/s1/v3/customers?limit=3&page=2&sort=date_created:asc&date_modified:min=2025-12-31T23:59:59Z',
  ])
})

it('a window without orders has no content', async () => {
  await using provider = await open()
  const since = new Date('2030-01-01T00:00:00Z')
  expect((await provider.connector.readPage({ object: 'orders', fields: 'all', since })).records).toEqual([])
})

it('customers are created in a list, and deleted by their id', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const created = await connector.write({ object: 'customers', type: 'create', record: { email: 'ada@example.com' } })
  expect(created.recordId).toBe('9')
  await connector.write({ object: 'customers', type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /stores/s1/v3/customers [{"email":"ada@example.com"}]',
    'DELETE /stores/s1/v3/customers?id:in=9',
  ])
  await expect(connector.write({ object: 'customers', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'Create customers failed.',
    errors: [{ message: expect.stringContaining('The email is required.') }],
  })
})

it.each([
  ['channels', 'channels'],
  ['price_lists', 'pricelists'],
])('%s that changed are read', async (object, path) => {
  await using provider = await open()
  await provider.connector.readPage({ object, fields: ['name'], pageSize: 3, since: new Date('2026-01-01T00:00:00Z') })
  expect(asked(provider.seen)).toEqual([
    `GET /stores/s1/v3/${path}?limit=3&page=1&date_modified:min=2025-12-31T23:59:59Z`,
  ])
})

it('a customer is read in a list, and updated by the id that is a number there', async () => {
  const answer = ({ method, url, body }: SeenRequest): Answer => {
    if (method === 'PUT') return { body: { data: JSON.parse(body) as object[], meta: {} } }
    return { body: { data: url.searchParams.get('id:in') === '9' ? [{ id: 9, email: 'ada@example.com' }] : [] } }
  }
  await using provider = await openProvider('bigCommerce', answer, {
    metadata: { storeHash: 's1' },
    credential: { scheme: 'apiKey', apiKey: 'key' },
  })
  const { connector, seen } = provider
  expect(await connector.fetchRecord('customers', '9', ['email'])).toMatchObject({ id: '9' })
  expect(await connector.fetchRecord('customers', '8', ['email'])).toBeUndefined()
  const update = { object: 'customers', type: 'update', id: '9', record: { company: 'Acme' } } as const
  expect(await connector.write(update)).toMatchObject({ success: true, recordId: '9' })
  expect(asked(seen).at(-1)).toBe('PUT /stores/s1/v3/customers [{"company":"Acme","id":9}]')
  await expect(connector.write({ ...update, id: '8' })).rejects.toMatchObject({ class: 'not_found' })
  expect(asked(seen).at(-1)).toBe('GET /stores/s1/v3/customers?id:in=8')
})

it('archived orders and deleted channels are deletions', async () => {
  const answer = ({ url }: SeenRequest): Answer => {
    const pagination = { total: 2, current_page: 1, total_pages: 1 }
    if (url.pathname.endsWith('/channels'))
      return {
        body: {
          data: [
            { id: 1, status: 'active' },
            { id: 2, status: 'deleted' },
          ],
          meta: { pagination },
        },
      }
    const archived = { id: 2, is_deleted: true }
    const listed =
      url.searchParams.get('is_deleted') === 'true' ? [archived, { id: 3, is_deleted: false }] : [{ id: 1 }]
    return { body: url.searchParams.has('min_id') ? [] : listed }
  }
  await using provider = await openProvider('bigCommerce', answer, {
    metadata: { storeHash: 's1' },
    credential: { scheme: 'apiKey', apiKey: 'key' },
  })
  for (const object of ['orders', 'channels']) {
    const request = { object, fields: [], since: new Date('2026-01-01T00:00:00Z'), deletions: true }
    const records = await readAll(provider.connector, request)
    expect(records.map(({ id, deleted }) => `${deleted ? '-' : ''}${id}`)).toEqual(['1', '-2'])
  }
})
