import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What woocommerce.github.io/woocommerce-rest-api-docs shows, as far as the provider file relies on it. */

const at = '/wp-json/wc/v3'

function wooCommerce({ method, url, headers, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (headers['authorization'] !== `Basic ${btoa('ck_1:cs_1')}`)
    return { status: 401, body: { code: 'woocommerce_rest_cannot_view', message: 'Sorry, you cannot list resources.' } }
  if (method === 'DELETE' && pathname === `${at}/customers/7` && searchParams.get('force') !== 'true')
    return { status: 501, body: { code: 'woocommerce_rest_trash_not_supported', message: 'No trash.' } }
  if (method !== 'GET') return { body: { id: 7, ...(body === '' ? {} : (JSON.parse(body) as object)) } }
  const perPage = Number(searchParams.get('per_page'))
  const page = Number(searchParams.get('page'))
  if (!(perPage <= 100)) return { status: 400, body: { code: 'rest_invalid_param', message: 'Invalid per_page' } }
  const product = /\/products\/(\d+)\/variations$/.exec(pathname)?.[1]
  const numbers = product === undefined ? [1, 2, 3] : [Number(product) * 10]
  const pages = { 'X-WP-Total': String(numbers.length), 'X-WP-TotalPages': String(Math.ceil(numbers.length / perPage)) }
  const all = numbers.map((id) => ({ id, date_modified_gmt: `2026-01-0${Math.min(id, 9)}T00:00:00` }))
  return { headers: pages, body: all.slice((page - 1) * perPage, page * perPage) }
}

const open = (password = 'cs_1') =>
  openProvider('wooCommerce', wooCommerce, {
    metadata: { baseUrl: 'https://shop.example.com' },
    credential: { scheme: 'basic', username: 'ck_1', password },
  })

it('orders are read to the last page, those that changed', async () => {
  await using provider = await open()
  const request = { object: 'orders', fields: ['total'], pageSize: 2, since: new Date('2026-01-01T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['1', '2', '3'])
  expect([first.total, second.nextPage]).toEqual([3, undefined])
  const window = 'modified_after=2025-12-31T23:59:59Z&dates_are_gmt=true'
  expect(asked(provider.seen)).toEqual([
    `GET ${at}/orders?per_page=2&page=1&orderby=id&order=asc&${window}`,
    `GET ${at}/orders?per_page=2&page=2&orderby=id&order=asc&${window}`,
  ])
})

it.each([
  ['products', 'include_status'],
  ['coupons', 'status'],
])('%s in the trash are deletions, also where the shop does not know the filter', async (object, parameter) => {
  const products = [
    { id: 1, status: 'publish' },
    { id: 2, status: 'trash' },
  ]
  const listed = { headers: { 'X-WP-Total': '2', 'X-WP-TotalPages': '1' }, body: products }
  await using provider = await openProvider('wooCommerce', () => listed, {
    metadata: { baseUrl: 'https://shop.example.com' },
    credential: { scheme: 'basic', username: 'ck_1', password: 'cs_1' },
  })
  const request = { object, fields: [], since: new Date('2026-01-01T00:00:00Z'), deletions: true }
  const { records } = await provider.connector.readPage(request)
  expect(records.filter(({ deleted }) => deleted).map(({ id }) => id)).toEqual(['2'])
  expect(provider.seen.at(-1)?.url.searchParams.get(parameter)).toBe('trash')
})

it('drafts of coupons are read, and refunds of all orders', async () => {
  await using provider = await open()
  await provider.connector.readPage({ object: 'coupons', fields: ['code'] })
  await provider.connector.readPage({ object: 'refunds', fields: ['amount'] })
  expect(asked(provider.seen)).toEqual([
    `GET ${at}/coupons?per_page=100&page=1&orderby=id&order=asc&status=any`,
    `GET ${at}/refunds?per_page=100&page=1&orderby=id&order=asc`,
  ])
})

it('customers that changed are found among all of them', async () => {
  await using provider = await open()
  const since = new Date('2026-01-02T00:00:00Z')
  const { records } = await provider.connector.readPage({ object: 'customers', fields: ['email'], since })
  expect(records.map(({ id }) => id)).toEqual(['2', '3'])
  expect(provider.seen[0]?.url.searchParams.get('role')).toBe('all')
})

it('variations are read for each product, and written in it', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const { records } = await connector.readPage({ object: 'product_variations', fields: ['sku'] })
  expect(records.map(({ id }) => id)).toEqual(['1/10', '2/20', '3/30'])
  const since = new Date('2026-01-09T00:00:00Z')
  expect((await readAll(connector, { object: 'product_variations', fields: ['sku'], since })).length).toBe(3)
  expect(seen.at(-1)?.url.searchParams.get('modified_after')).toBe('2026-01-08T23:59:59Z')
  seen.length = 0
  const sku = { object: 'product_variations', type: 'update', id: '1/10', record: { sku: 'A' } } as const
  expect((await connector.write(sku)).recordId).toBe('1/10')
  await connector.write({ object: 'customers', type: 'delete', id: '7', record: {} })
  await connector.write({ object: 'orders', type: 'delete', id: '7', record: {} })
  await connector.readPage({ object: 'product_categories', fields: 'all' })
  expect(asked(seen)).toEqual([
    `PUT ${at}/products/1/variations/10 {"sku":"A"}`,
    `DELETE ${at}/customers/7?force=true`,
    `DELETE ${at}/orders/7`,
    `GET ${at}/products/categories?per_page=100&page=1&orderby=id&order=asc`,
  ])
})

it('a wrong key is refused', async () => {
  await using provider = await open('wrong')
  const refused = provider.connector.readPage({ object: 'orders', fields: 'all' })
  await expect(refused).rejects.toMatchObject({ class: 'auth_invalidated' })
})
