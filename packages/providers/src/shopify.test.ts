import { expect, it } from 'vitest'
import { createConnector, loadCatalogue } from './index.ts'
import { plainHttp, startServer } from './testing/http-server.testkit.ts'
import { testCache } from './testing/test-cache.testkit.ts'

/** What the recorded answers of Shopify do not show. */

const entry = (await loadCatalogue({ cacheDir: testCache })).find('shopify')

/** A clock that stands still: units are restored with time. */
const now = () => Date.UTC(2026, 0, 1)

async function connected(body: unknown) {
  if (entry === undefined) throw new Error('no provider shopify')
  const server = await startServer(() => ({ body }))
  const credential = { scheme: 'oauth2', accessToken: 'token-of-the-test' } as const
  const http = plainHttp(fetch, { from: 'https://shop.myshopify.com', to: server.origin })
  const connector = createConnector(entry, { metadata: { workspace: 'shop' }, credential }, http, { now })
  const asked = () =>
    JSON.parse(server.seen.at(-1)?.body ?? '') as { query: string; variables: Record<string, unknown> }
  return { connector, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const nodes = (object: string, ...records: object[]) => ({
  data: { [object]: { nodes: records, pageInfo: { hasNextPage: false, endCursor: null } } },
})

it('a window, filters and a search are conditions of its search syntax', async () => {
  await using at = await connected(nodes('products', { id: 'gid://shopify/Product/1' }))
  const filters = [{ field: 'productType', operator: 'eq', value: 'Big "hats"' } as const]
  const since = new Date('2026-01-01T00:00:00Z')
  await at.connector.readPage({ object: 'products', fields: ['id', 'publishedAt', 'isFixed'], since, filters })
  expect(at.asked().variables['query']).toBe(`updated_at:>='2026-01-01T00:00:00Z' AND product_type:"Big \\"hats\\""`)
  // A plain field that the request does not name anyway is added.
  expect(at.asked().query).toMatch(/\n {6}isFixed\n {4}\}/)
  await at.connector.search({ object: 'products', fields: ['id'], filters })
  expect(at.asked().variables['query']).toBe('product_type:"Big \\"hats\\""')
})

it('what may not be seen is null beside an error; where nothing is left, or nothing was searched, it fails', async () => {
  const errors = [{ message: 'Access denied for email field.', extensions: { code: 'ACCESS_DENIED' } }]
  const read = { object: 'customers', fields: ['email'] }
  await using part = await connected({ ...nodes('customers', { id: 'c', email: null }), errors })
  expect((await part.connector.readPage(read)).records).toHaveLength(1)
  await using none = await connected({ data: null, errors })
  await expect(none.connector.readPage(read)).rejects.toMatchObject({ class: 'forbidden' })
  const busy = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }]
  await using throttled = await connected({ errors: busy })
  await expect(throttled.connector.readPage(read)).rejects.toMatchObject({ class: 'rate_limited' })
  const extensions = { search: [{ path: ['customers'], warnings: [{ field: 'no_such', code: 'invalid_field' }] }] }
  await using unsearched = await connected({ ...nodes('customers', { id: 'c' }), extensions })
  const filters = [{ field: 'noSuch', operator: 'eq', value: 1 } as const]
  await expect(unsearched.connector.search({ ...read, filters })).rejects.toMatchObject({ class: 'bad_request' })
  await using refused = await connected({ data: { customerUpdate: null }, errors })
  const write = refused.connector.write({ object: 'customers', type: 'update', id: 'c', record: { email: 'a@b.c' } })
  await expect(write).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'Access denied for email field.' })
})

it('a record is read by its id with the fields of its list', async () => {
  await using at = await connected({ data: { node: { id: 'gid://shopify/Order/1', name: '#1' } } })
  const order = await at.connector.fetchRecord('orders', 'gid://shopify/Order/1', ['name'])
  expect(order).toMatchObject({ id: 'gid://shopify/Order/1', fields: { name: '#1' } })
  expect(at.asked().query).toContain('... on Order {\n      id\n      name')
})

it('a request that costs more than is left has the time until it is restored', async () => {
  // As in shopify.dev/docs/api/usage/limits.
  const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 52, restoreRate: 100 }
  const extensions = { cost: { requestedQueryCost: 352, actualQueryCost: null, throttleStatus } }
  const errors = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }]
  await using at = await connected({ errors, extensions })
  const read = at.connector.readPage({ object: 'customers', fields: ['email'] })
  await expect(read).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 3_000, providerMessage: 'Throttled' })
})
