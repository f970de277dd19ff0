import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What docs.ecwid.com/api-reference shows, as far as the provider file relies on it. */

function ecwid({ method, url, body }: SeenRequest): Answer {
  if (method === 'DELETE') return { body: { deleteCount: 1 } }
  if (method === 'PUT') return { body: { updateCount: 1 } }
  if (method === 'POST') {
    const { name } = JSON.parse(body) as { name?: string }
    return name === undefined
      ? { status: 400, body: { errorMessage: 'Product name is required', errorCode: 'WRONG_PARAMETERS' } }
      : { body: { id: 9 } }
  }
  const limit = Number(url.searchParams.get('limit') ?? 100)
  const offset = Number(url.searchParams.get('offset') ?? 0)
  if (limit > 100) return { status: 400, body: { errorMessage: 'Wrong limit' } }
  const all = Array.from({ length: 101 }, (_, at) => ({ id: at + 1 }))
  const items = all.slice(offset, offset + limit)
  return { body: { total: 101, count: items.length, offset, limit, items } }
}

const open = () => openProvider('ecwid', ecwid, { metadata: { storeId: '7' } })

it('products and orders are read to the last page, those that changed', async () => {
  await using provider = await open()
  const since = new Date('2026-01-01T00:00:00Z')
  for (const object of ['products', 'orders']) {
    const first = await provider.connector.readPage({ object, fields: ['name'], since })
    const second = await provider.connector.readPage({ object, fields: ['name'], since, page: first.nextPage ?? '' })
    expect([first.total, first.records.length, second.records.length, second.nextPage]).toEqual([
      101,
      100,
      1,
      undefined,
    ])
  }
  expect(asked(provider.seen).filter((_, index) => index % 2 === 1)).toEqual([
    'GET /api/v3/7/products?limit=100&offset=100&updatedFrom=1767225600&sortBy=ADDED_TIME_ASC',
    'GET /api/v3/7/orders?limit=100&offset=100&updatedFrom=1767225600',
  ])
})

it('customers are read in an order that a changed name does not change', async () => {
  await using provider = await open()
  await provider.connector.readPage({ object: 'customers', fields: ['name'] })
  expect(asked(provider.seen)).toEqual(['GET /api/v3/7/customers?limit=100&offset=0&sortBy=REGISTERED_DATE_ASC'])
})

it('products are written', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const created = await connector.write({ object: 'products', type: 'create', record: { name: 'Tea' } })
  expect(created.recordId).toBe('9')
  const updated = await connector.write({ object: 'products', type: 'update', id: '9', record: { price: 5 } })
  expect(updated.recordId).toBe('9')
  await connector.write({ object: 'products', type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /api/v3/7/products {"name":"Tea"}',
    'PUT /api/v3/7/products/9 {"price":5}',
    'DELETE /api/v3/7/products/9',
  ])
})

it('what Ecwid refuses is an error with its reason', async () => {
  await using provider = await open()
  const refused = provider.connector.write({ object: 'products', type: 'create', record: { price: 5 } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'Product name is required' })
})

it.each(['products', 'customers'])('deleted %s are read', async (object) => {
  const answer = ({ url }: SeenRequest): Answer => {
    const items = url.pathname.endsWith('/deleted') ? [{ id: 9, date: '2026-01-01 18:07:24 +0000' }] : [{ id: 1 }]
    return { body: { total: 1, count: 1, offset: 0, limit: 100, items } }
  }
  const now = () => Date.parse('2026-01-02T00:00:00Z')
  await using provider = await openProvider('ecwid', answer, { metadata: { storeId: '7' }, now })
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  const records = await readAll(provider.connector, { object, fields: [], ...window, deletions: true })
  expect(records.map(({ id, deleted }) => `${deleted ? '-' : ''}${id}`)).toEqual(['1', '-9'])
  const query = 'limit=100&offset=0&from_date=1767225600&to_date=1767312000'
  expect(asked(provider.seen).at(-1)).toBe(`GET /api/v3/7/${object}/deleted?${query}`)
})
