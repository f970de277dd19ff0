import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.box.com/reference shows, as far as the provider file relies on it. */

function box({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const given = JSON.parse(body) as { name?: string }
    const context_info = { errors: [{ reason: 'missing_parameter', name: 'name', message: "'name' is required" }] }
    return given.name === undefined
      ? { status: 400, body: { type: 'error', status: 400, code: 'bad_request', message: 'Bad Request', context_info } }
      : { status: method === 'POST' ? 201 : 200, body: { type: 'group', id: '9', ...given } }
  }
  const limit = Number(searchParams.get('limit'))
  if (!(limit <= 1000)) return { status: 400, body: { message: 'Bad Request' } }
  const folder = /^\/2\.0\/folders\/(\d+)\/items$/.exec(pathname)?.[1]
  if (folder !== undefined) {
    const file = { type: 'file', id: `f${folder}`, modified_at: '2026-01-02T00:00:00Z' }
    const inside = { type: 'folder', id: folder === '0' ? '11' : '12', modified_at: '2026-01-01T00:00:00Z' }
    return { body: { limit, entries: folder === '12' ? [file] : [inside, file, { type: 'web_link', id: 'w' }] } }
  }
  if (pathname === '/2.0/users') {
    if (searchParams.get('usemarker') !== 'true') return { status: 400 }
    const second = searchParams.get('marker') === 'next'
    const user = { id: second ? 'u2' : 'u1', modified_at: `2026-01-0${second ? 2 : 1}T00:00:00-08:00` }
    return { body: { limit, next_marker: second ? null : 'next', entries: [user] } }
  }
  const group = /^\/2\.0\/groups\/(\d+)\/memberships$/.exec(pathname)?.[1]
  const all = group === undefined ? [{ id: '1' }, { id: '2' }, { id: '3' }] : [{ id: `m${group}` }]
  const offset = Number(searchParams.get('offset') ?? 0)
  return { body: { total_count: all.length, limit, offset, entries: all.slice(offset, offset + limit) } }
}

async function idsOf(object: string, more: { pageSize?: number; since?: Date } = {}) {
  await using provider = await openProvider('box', box)
  const ids = (await readAll(provider.connector, { object, fields: ['name'], ...more })).map(({ id }) => id)
  return { ids, requests: asked(provider.seen) }
}

it('users are read from marker to marker, those that changed', async () => {
  expect((await idsOf('users')).ids).toEqual(['u1', 'u2'])
  expect((await idsOf('users', { since: new Date('2026-01-02T00:00:00Z') })).ids).toEqual(['u2'])
})

it('groups and their memberships are read to the last page', async () => {
  const { ids, requests } = await idsOf('groups', { pageSize: 2 })
  expect(ids).toEqual(['1', '2', '3'])
  expect(requests.map((line) => line.split('&fields')[0])).toEqual([
    'GET /2.0/groups?limit=2&offset=0',
    'GET /2.0/groups?limit=2&offset=2',
  ])
  expect((await idsOf('group_memberships')).ids).toEqual(['m1', 'm2', 'm3'])
})

it('groups are written', async () => {
  await using provider = await openProvider('box', box)
  const { connector, seen } = provider
  expect((await connector.write({ object: 'groups', type: 'create', record: { name: 'Sales' } })).recordId).toBe('9')
  await connector.write({ object: 'groups', type: 'update', id: '9', record: { name: 'Support' } })
  await connector.write({ object: 'groups', type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /2.0/groups {"name":"Sales"}',
    'PUT /2.0/groups/9 {"name":"Support"}',
    'DELETE /2.0/groups/9',
  ])
  await expect(connector.write({ object: 'groups', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: "name: 'name' is required" }],
  })
})

it('a folder that went to the trash during the read is skipped, and the root folder never', async () => {
  const without = (refused: string) => (request: SeenRequest) =>
    request.url.pathname === `/2.0/folders/${refused}/items`
      ? { status: 404, body: { message: 'Not Found' } }
      : box(request)
  await using some = await openProvider('box', without('11'))
  const files = await readAll(some.connector, { object: 'files', fields: ['id'] })
  expect(files.map(({ id }) => id)).toEqual(['f0'])
  await using none = await openProvider('box', without('0'))
  await expect(readAll(none.connector, { object: 'files', fields: ['id'] })).rejects.toMatchObject({
    class: 'not_found',
  })
})

it('files and folders are read from the root folder to the last one', async () => {
  await using opened = await openProvider('box', box)
  const files = await readAll(opened.connector, { object: 'files', fields: ['id'] })
  expect(files.map(({ id }) => id)).toEqual(['f0', 'f11', 'f12'])
  const since = new Date('2026-01-01T12:00:00Z')
  const folders = await readAll(opened.connector, { object: 'folders', fields: ['id'] })
  expect(folders.map(({ id }) => id)).toEqual(['11', '12'])
  expect(await readAll(opened.connector, { object: 'folders', fields: ['id'], since })).toEqual([])
  expect(await readAll(opened.connector, { object: 'files', fields: ['id'], since })).toHaveLength(3)
})
