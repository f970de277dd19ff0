import { expect, it } from 'vitest'
import { createConnector, loadCatalogue } from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { openProvider } from '../testing/open-provider.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** What WordPress 6 answers, as far as the provider file relies on it; the end-to-end test runs the real one. */
function wordPress({ method, url, headers }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const known = headers['authorization'] === `Basic ${Buffer.from('admin:abcd efgh').toString('base64')}`
  if (pathname === '/blog/wp-json/wp/v2/users/me') {
    if (known && searchParams.get('context') === 'edit') return { body: { id: 1 } }
    return { status: 401, body: { code: 'rest_not_logged_in', message: 'You are not currently logged in.' } }
  }
  if (pathname !== '/blog/wp-json/wp/v2/posts')
    return { status: 404, body: { code: 'rest_no_route', message: 'No route.' } }
  if (method === 'OPTIONS') {
    const properties = {
      id: { type: 'integer', readonly: true },
      date: { type: ['string', 'null'], format: 'date-time' },
      status: { type: 'string', enum: ['publish', 'draft'] },
      title: { type: 'object' },
      tags: { type: 'array', items: { type: 'integer' } },
      meta: { type: 'object', properties: { stage: { type: 'string', enum: ['new', 'won'] } } },
    }
    return { body: { schema: { properties } } }
  }
  const page = Number(searchParams.get('page'))
  if (page > 2) return { status: 400, body: { code: 'rest_post_invalid_page_number', message: 'The page is gone.' } }
  return {
    headers: { 'X-WP-Total': '3', 'X-WP-TotalPages': '2' },
    body:
      page === 1 ? [post(1, '2026-01-01T10:00:00'), post(2, '2026-01-02T10:00:01')] : [post(3, '2026-01-02T10:00:00')],
  }
}

function post(id: number, modified_gmt: string) {
  return { id, modified_gmt, title: { rendered: `Post ${id}` } }
}

async function connect(password = 'abcd efgh') {
  const server = await startServer(wordPress)
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('wordPressSelfHosted')
  if (entry === undefined) throw new Error('no wordPressSelfHosted')
  const connection = {
    metadata: { siteUrl: `${server.origin}/blog/` },
    credential: { scheme: 'basic', username: 'admin', password },
  } as const
  return { server, connector: createConnector(entry, connection, plainHttp(fetch)) }
}

it('a window begins at its whole second, in the order of ids, and is cut at its end without shifting pages', async () => {
  const { server, connector } = await connect()
  await using _ = server
  const window = { since: new Date('2026-01-01T10:00:00.400Z'), until: new Date('2026-01-02T10:00:00.400Z') }
  const request = { object: 'posts', fields: ["$['title']['rendered']"], ...window }
  const first = await connector.readPage(request)
  expect(first.total).toBe(3)
  expect(first.records).toMatchObject([{ id: '1', fields: { "$['title']['rendered']": 'Post 1' } }])
  const last = await connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last.records.map(({ id }) => id)).toEqual(['3'])
  expect(last.nextPage).toBeUndefined()
  expect(Object.fromEntries(server.seen[1]?.url.searchParams ?? [])).toEqual({
    context: 'edit',
    per_page: '100',
    page: '2',
    orderby: 'id',
    order: 'asc',
    modified_after: '2026-01-01T09:59:59Z',
    status: 'any',
  })
})

it('a full read sends no bounds', async () => {
  const { server, connector } = await connect()
  await using _ = server
  await connector.readPage({ object: 'posts', fields: 'all' })
  expect([...(server.seen[0]?.url.searchParams.keys() ?? [])]).toEqual([
    'context',
    'per_page',
    'page',
    'orderby',
    'order',
    'status',
  ])
})

it('a page that vanished during the read is a lost cursor, so that the window starts again', async () => {
  const { server, connector } = await connect()
  await using _ = server
  const page = Buffer.from('{"page":3}').toString('base64url')
  await expect(connector.readPage({ object: 'posts', fields: 'all', page })).rejects.toMatchObject({
    class: 'cursor_gone',
  })
})

it('fields come from OPTIONS, custom fields in bracket form', async () => {
  const { server, connector } = await connect()
  await using _ = server
  const { displayName, fields } = await connector.describeObject('posts')
  expect(displayName).toBe('Posts')
  expect(fields).toMatchObject({
    id: { valueType: 'int', readOnly: true, isCustom: false },
    date: { valueType: 'datetime' },
    status: { valueType: 'singleSelect', values: [{ value: 'publish', displayValue: 'publish' }, { value: 'draft' }] },
    title: { valueType: 'other' },
    "$['meta']['stage']": { displayName: 'stage', valueType: 'singleSelect', isCustom: true },
  })
})

it('a wrong application password is found by the health check', async () => {
  const good = await connect()
  await using _good = good.server
  await good.connector.checkHealth()
  const bad = await connect('wrong')
  await using _bad = bad.server
  await expect(bad.connector.checkHealth()).rejects.toMatchObject({
    class: 'auth_invalidated',
    status: 401,
    providerMessage: 'You are not currently logged in.',
  })
})

it('posts and their own fields are written; what has no trash is deleted for good', async () => {
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('wordPressSelfHosted')
  if (entry === undefined) throw new Error('no wordPressSelfHosted')
  await using server = await startServer(() => ({ body: { id: 5, title: { raw: 'A' } } }))
  const credential = { scheme: 'basic', username: 'admin', password: 'abcd efgh' } as const
  const connector = createConnector(entry, { metadata: { siteUrl: server.origin }, credential }, plainHttp(fetch))
  const record = { title: 'A', "$['meta']['stage']": 'won' }
  expect(await connector.write({ object: 'posts', type: 'create', record })).toMatchObject({ recordId: '5' })
  await connector.write({ object: 'posts', type: 'update', id: '5', record })
  await connector.write({ object: 'posts', type: 'delete', id: '5', record: {} })
  await connector.write({ object: 'tags', type: 'delete', id: '7', record: {} })
  expect(server.seen.map(({ method, url, body }) => [method, `${url.pathname}${url.search}`, body])).toEqual([
    ['POST', '/wp-json/wp/v2/posts', '{"title":"A","meta":{"stage":"won"}}'],
    ['POST', '/wp-json/wp/v2/posts/5', '{"title":"A","meta":{"stage":"won"}}'],
    ['DELETE', '/wp-json/wp/v2/posts/5', ''],
    ['DELETE', '/wp-json/wp/v2/tags/7?force=true', ''],
  ])
  expect(connector.canWrite('media', 'create')).toBe(false)
  expect(connector.canWrite('users', 'delete')).toBe(false)
})

it('comments that wait for approval are listed, too', async () => {
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('wordPressSelfHosted')
  if (entry === undefined) throw new Error('no wordPressSelfHosted')
  await using server = await startServer(() => ({
    headers: { 'X-WP-TotalPages': '1' },
    body: [{ id: 1, status: 'hold' }],
  }))
  const credential = { scheme: 'basic', username: 'admin', password: 'abcd efgh' } as const
  const connector = createConnector(entry, { metadata: { siteUrl: server.origin }, credential }, plainHttp(fetch))
  await connector.readPage({ object: 'comments', fields: ['status'] })
  expect(server.seen[0]?.url.searchParams.get('status')).toBe('all')
})

it('private files are listed, too', async () => {
  const site = { metadata: { siteUrl: 'https://blog.example' } }
  const credential = { scheme: 'basic', username: 'admin', password: 'abcd' } as const
  const list = ({ url }: SeenRequest) => {
    const all = url.searchParams.get('status') === 'inherit,private'
    return { headers: { 'X-WP-TotalPages': '1' }, body: all ? [{ id: 1 }, { id: 2 }] : [{ id: 1 }] }
  }
  await using provider = await openProvider('wordPressSelfHosted', list, { ...site, credential })
  const { records } = await provider.connector.readPage({ object: 'media', fields: ['status'] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
})

it.each([
  [401, 'auth_invalidated'],
  [403, 'forbidden'],
])('a status that may not be named (%i) is what it would be without one', async (status, expected) => {
  const details = { status: { code: 'rest_forbidden_status', message: 'Status is forbidden.', data: { status } } }
  const body = { code: 'rest_invalid_param', message: 'Invalid parameter(s): status', data: { status: 400, details } }
  await using provider = await openProvider('wordPressSelfHosted', () => ({ status: 400, body }), {
    metadata: { siteUrl: 'https://blog.example' },
    credential: { scheme: 'basic', username: 'admin', password: 'abcd' },
  })
  await expect(provider.connector.readPage({ object: 'posts', fields: ['id'] })).rejects.toMatchObject({
    class: expected,
  })
})
