import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developers.maxio.com/http/advanced-billing-api shows, as far as the provider file relies on it. */

function maxio({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const { customer } = JSON.parse(body) as { customer: { email?: string } }
    return customer.email === undefined
      ? { status: 422, body: { errors: ['Email address: cannot be blank.'] } }
      : { status: method === 'POST' ? 201 : 200, body: { customer: { id: 9, ...customer } } }
  }
  const perPage = Math.min(Number(searchParams.get('per_page') ?? 20), 200)
  const from = (Number(searchParams.get('page') ?? 1) - 1) * perPage
  const all = Array.from({ length: 201 }, (_, at) => ({ id: at + 1, uid: `inv_${at}` })).slice(from, from + perPage)
  if (pathname === '/invoices.json') return { body: { invoices: all } }
  if (pathname === '/customers.json') return { body: all.map((customer) => ({ customer })) }
  return { status: 404 }
}

const open = () =>
  openProvider('maxio', maxio, {
    metadata: { workspace: 'acme' },

    credential: { scheme: 'basic', username: 'key', password: 'x' },
  })

it('customers and invoices are read to the last page, those that changed', async () => {
  await using provider = await open()
  const since = new Date('2026-01-01T05:00:00Z')
  for (const object of ['customers', 'invoices']) {
    const request = { object, fields: ['email'], since }
    const first = await provider.connector.readPage(request)
    const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
    expect([first.records.length, second.records.length, second.nextPage]).toEqual([200, 1, undefined])
    expect(second.records[0]?.id).toBe(object === 'invoices' ? 'inv_200' : '201')
  }
  const window = 'date_field=updated_at&start_date=2025-12-31'
  expect(asked(provider.seen).map((line) => line.includes(window))).toEqual(Array(4).fill(true))
})

it('invoices have their lines, archived products are deletions, and changed coupons are requested', async () => {
  const products = [
    { product: { id: 1, archived_at: null } },
    { product: { id: 2, archived_at: '2026-01-01T06:00:00Z' } },
  ]
  await using provider = await openProvider(
    'maxio',
    ({ url }) => ({
      body: { '/invoices.json': { invoices: [] }, '/products.json': products }[url.pathname] ?? [],
    }),
    { metadata: { workspace: 'acme' }, credential: { scheme: 'basic', username: 'key', password: 'x' } },
  )
  const request = { fields: [], since: new Date('2026-01-02T05:00:00Z') }
  const { records } = await provider.connector.readPage({ ...request, object: 'products', deletions: true })
  await provider.connector.readPage({ ...request, object: 'invoices' })
  await provider.connector.readPage({ ...request, object: 'coupons' })
  expect(records.map(({ id, deleted }) => [id, deleted])).toEqual([
    ['1', undefined],
    ['2', true],
  ])
  const [, invoices, coupons] = asked(provider.seen)
  expect(invoices).toContain('line_items=true&discounts=true&taxes=true')
  expect(coupons).toContain('filter[date_field]=updated_at&filter[start_date]=2026-01-01')
})

it('customers are written under their name', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const created = await connector.write({ object: 'customers', type: 'create', record: { email: 'ada@example.com' } })
  expect(created.recordId).toBe('9')
  await connector.write({ object: 'customers', type: 'update', id: '9', record: { email: 'bo@example.com' } })
  await connector.write({ object: 'customers', type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /customers.json {"customer":{"email":"ada@example.com"}}',
    'PUT /customers/9.json {"customer":{"email":"bo@example.com"}}',
    'DELETE /customers/9.json',
  ])
})

it('what Maxio refuses is an error with its reasons', async () => {
  await using provider = await open()
  const refused = provider.connector.write({ object: 'customers', type: 'create', record: { first_name: 'Ada' } })
  await expect(refused).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: 'Email address: cannot be blank.' }],
  })
})
