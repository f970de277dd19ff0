import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What braze.com/docs/api/endpoints shows, as far as the provider file relies on it. */

function braze({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'POST') {
    const given = JSON.parse(body) as { content_block_id?: string; content?: string }
    return given.content === undefined
      ? { status: 400, body: { message: 'Content cannot be blank' } }
      : { status: 201, body: { content_block_id: given.content_block_id ?? 'b9', message: 'success' } }
  }
  if (method !== 'GET') return { body: { message: 'success' } }
  if (pathname === '/campaigns/list') {
    if (searchParams.get('include_archived') !== 'true') return { status: 400 }
    const from = Number(searchParams.get('page')) * 100
    const all = Array.from({ length: 101 }, (_, at) => ({ id: `c${at + 1}` }))
    return { body: { message: 'success', campaigns: all.slice(from, from + 100) } }
  }
  if (pathname === '/content_blocks/list') {
    const [limit, offset] = [Number(searchParams.get('limit')), Number(searchParams.get('offset'))]
    const all = ['b1', 'b2', 'b3'].slice(offset, offset + limit)
    return { body: { count: 3, content_blocks: all.map((content_block_id) => ({ content_block_id })) } }
  }
  if (pathname === '/custom_attributes') {
    const link = { link: '</custom_attributes?cursor=next>; rel="next"' }
    const name = searchParams.get('cursor') === 'next' ? 'size' : 'color'
    return { ...(name === 'color' && { headers: link }), body: { message: 'success', attributes: [{ name }] } }
  }
  if (pathname === '/catalogs') return { body: { catalogs: [{ name: 'shoes', num_items: 2 }], message: 'success' } }
  if (pathname !== '/catalogs/shoes/items') return { status: 404 }
  const link = { link: '</catalogs/shoes/items?cursor=next>; rel="next"' }
  return searchParams.get('cursor') === 'next'
    ? { body: { items: [{ id: 's2' }], message: 'success' } }
    : { headers: link, body: { items: [{ id: 's1' }], message: 'success' } }
}

async function idsOf(object: string, pageSize?: number) {
  const credential = { scheme: 'apiKey', apiKey: 'key' } as const
  await using provider = await openProvider('braze', braze, { metadata: { workspace: 'iad-01' }, credential })
  const request = {
    object,
    fields: 'all',
    since: new Date('2026-01-01T00:00:00Z'),
    ...(pageSize && { pageSize }),
  } as const
  const ids = (await readAll(provider.connector, request)).map(({ id }) => id)
  return { ids, requests: asked(provider.seen) }
}

it('campaigns are read to the last page, archived ones too, those that changed', async () => {
  const { ids, requests } = await idsOf('campaigns')
  expect([ids.length, ids.at(-1)]).toEqual([101, 'c101'])
  const rest = 'sort_direction=asc&include_archived=true&last_edit.time[gt]=2025-12-31T23:59:59Z'
  expect(requests).toEqual([`GET /campaigns/list?page=0&${rest}`, `GET /campaigns/list?page=1&${rest}`])
})

it('content blocks, custom attributes and items of catalogs are read to the last page', async () => {
  expect((await idsOf('content_blocks', 2)).ids).toEqual(['b1', 'b2', 'b3'])
  expect((await idsOf('custom_attributes')).ids).toEqual(['color', 'size'])
  expect((await idsOf('catalog_items')).ids).toEqual(['shoes/s1', 'shoes/s2'])
})

it('content blocks are written with their id in the body', async () => {
  const credential = { scheme: 'apiKey', apiKey: 'key' } as const
  await using provider = await openProvider('braze', braze, { metadata: { workspace: 'iad-01' }, credential })
  const { connector, seen } = provider
  const block = { object: 'content_blocks', record: { content: 'Hi' } } as const
  expect((await connector.write({ ...block, type: 'create' })).recordId).toBe('b9')
  expect((await connector.write({ ...block, type: 'update', id: 'b1' })).recordId).toBe('b1')
  expect(asked(seen)).toEqual([
    'POST /content_blocks/create {"content":"Hi"}',
    'POST /content_blocks/update {"content":"Hi","content_block_id":"b1"}',
  ])
  const refused = connector.write({ ...block, type: 'create', record: { name: 'empty' } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'Content cannot be blank' })
})

it('items of catalogs and preference centers are created and changed', async () => {
  const credential = { scheme: 'apiKey', apiKey: 'key' } as const
  const answer = () => ({ status: 201, body: { preference_center_api_id: 'p1', message: 'success' } })
  await using provider = await openProvider('braze', answer, { metadata: { workspace: 'iad-01' }, credential })
  const { connector, seen } = provider
  const item = { catalog_name: 'shoes', id: 's3', Size: 43 }
  await connector.write({ object: 'catalog_items', type: 'create', record: item })
  const center = { object: 'preference_center', record: { name: 'News' } } as const
  expect((await connector.write({ ...center, type: 'create' })).recordId).toBe('p1')
  await connector.write({ ...center, type: 'update', id: 'p1' })
  expect(asked(seen)).toEqual([
    'POST /catalogs/shoes/items/s3 {"items":[{"Size":43}]}',
    'POST /preference_center/v1 {"name":"News"}',
    'PUT /preference_center/v1/p1 {"name":"News"}',
  ])
})
