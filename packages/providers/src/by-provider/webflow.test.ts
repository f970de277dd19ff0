import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.webflow.com/data/reference shows, as far as the provider file relies on it. */

const collection = '580e63fc8c9a982ac9b8b745'

function webflow({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const { fieldData } = JSON.parse(body) as { fieldData: { name?: string } }
    return fieldData.name === undefined && method === 'POST'
      ? { status: 400, body: { code: 'validation_error', message: 'Validation Error', details: [] } }
      : { status: 202, body: { id: '9', fieldData } }
  }
  if (pathname === '/v2/sites') return { body: { sites: [{ id: 's1' }, { id: 's2' }, { id: 'plain' }] } }
  if (pathname === '/v2/sites/plain/orders') return { status: 409, body: { code: 'ecommerce_not_enabled' } }
  const limit = Number(searchParams.get('limit') ?? 100)
  const offset = Number(searchParams.get('offset') ?? 0)
  if (limit > 100) return { status: 400, body: { message: 'limit must be <= 100' } }
  const pagination = { limit, offset, total: 101 }
  const numbers = Array.from({ length: 101 }, (_, at) => at + 1).slice(offset, offset + limit)
  if (pathname === `/v2/collections/${collection}/items`)
    return { body: { pagination, items: numbers.map((at) => ({ id: `${at}`, fieldData: { name: `N${at}` } })) } }
  if (pathname.endsWith('/assets') || pathname.endsWith('/comments')) {
    const [, site = '', name = ''] = /^\/v2\/sites\/(\w+)\/(\w+)$/.exec(pathname) ?? []
    const records = offset === 0 ? [{ id: `${site}-${name}`, lastUpdated: '2026-01-02T00:00:00Z' }] : []
    return { body: { pagination: { limit, offset, total: 1 }, [name]: records } }
  }
  return /^\/v2\/sites\/s\d\/orders$/.test(pathname)
    ? { body: { pagination, orders: numbers.map((at) => ({ orderId: `${at}` })) } }
    : { status: 404, body: { message: 'Requested resource not found' } }
}

it('items of a collection are read to the last page', async () => {
  await using provider = await openProvider('webflow', webflow)
  const request = { object: collection, fields: ['name'] }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(first.records).toHaveLength(100)
  expect(second.records).toMatchObject([{ id: '101', fields: { name: 'N101' } }])
  expect([first.total, second.nextPage]).toEqual([101, undefined])
})

it('orders of every site are read to the last page', async () => {
  await using provider = await openProvider('webflow', webflow)
  const ids = (await readAll(provider.connector, { object: 'orders', fields: ['status'] })).map(({ id }) => id)
  expect([ids.length, ids[0], ids.at(-1), new Set(ids).size]).toEqual([202, 's1/1', 's2/101', 202])
})

it.each(['assets', 'comments'])('%s of every site are read', async (object) => {
  await using provider = await openProvider('webflow', webflow)
  const since = new Date('2026-01-01T00:00:00Z')
  const ids = (await readAll(provider.connector, { object, fields: 'all', since })).map(({ id }) => id)
  expect(ids).toEqual([`s1-${object}`, `s2-${object}`, `plain-${object}`])
})

it('items are written with their fields in one part', async () => {
  await using provider = await openProvider('webflow', webflow)
  const { connector, seen } = provider
  const record = { name: 'Ada', slug: 'ada', isDraft: true }
  expect((await connector.write({ object: collection, type: 'create', record })).recordId).toBe('9')
  await connector.write({ object: collection, type: 'update', id: '9', record: { name: 'Bo' } })
  await connector.write({ object: collection, type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    `POST /v2/collections/${collection}/items {"isDraft":true,"fieldData":{"name":"Ada","slug":"ada"}}`,
    `PATCH /v2/collections/${collection}/items/9 {"fieldData":{"name":"Bo"}}`,
    `DELETE /v2/collections/${collection}/items/9`,
  ])
  const refused = connector.write({ object: collection, type: 'create', record: { slug: 'x' } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'Validation Error' })
})
