import { expect, it } from 'vitest'
import { loadCatalogue } from '../index.ts'
import { openProvider } from '../testing/open-provider.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** Responses that www.dropbox.com/developers shows, as far as the provider file relies on them. */

const file = (id: string, modified = '2026-01-01T12:00:00Z') => ({
  '.tag': 'file',
  id: `id:${id}`,
  name: `${id}.txt`,
  path_display: `/${id}.txt`,
  server_modified: modified,
  size: 1,
})

it('files of all folders are listed, and the cursor of a page goes to another endpoint', async () => {
  await using opened = await openProvider('dropbox', ({ url }) =>
    url.pathname === '/2/files/list_folder'
      ? { body: { entries: [file('a'), { '.tag': 'folder', id: 'id:f', name: 'f' }], cursor: 'c1', has_more: true } }
      : { body: { entries: [{ '.tag': 'deleted', name: 'gone' }, file('b')], cursor: 'c2', has_more: false } },
  )
  const { connector, seen } = opened
  const first = await connector.readPage({ object: 'files', fields: ['name', 'size'] })
  expect(first.records).toMatchObject([{ id: 'id:a', fields: { name: 'a.txt', size: 1 } }])
  const second = await connector.readPage({ object: 'files', fields: ['name'], page: first.nextPage ?? '' })
  expect(second.records).toMatchObject([{ id: 'id:b' }])
  expect(second.nextPage).toBeUndefined()
  expect(seen.map(({ method, url, body }) => [method, url.pathname, JSON.parse(body)])).toEqual([
    ['POST', '/2/files/list_folder', { path: '', recursive: true, limit: 2000 }],
    ['POST', '/2/files/list_folder/continue', { cursor: 'c1' }],
  ])
})

it('a scheduled read has the files that changed since, a minute earlier for late ones', async () => {
  const entries = [file('old', '2026-01-01T00:00:00Z'), file('new', '2026-01-01T11:59:30Z')]
  await using opened = await openProvider('dropbox', () => ({ body: { entries, cursor: 'c1', has_more: false } }))
  const since = new Date('2026-01-01T12:00:00Z')
  const { records } = await opened.connector.readPage({ object: 'files', fields: ['name'], since })
  expect(records).toMatchObject([{ id: 'id:new' }])
})

it('a file that is deleted is not found, and another refusal says what Dropbox says', async () => {
  const body = { error_summary: 'path/not_found/..', error: { '.tag': 'path', path: { '.tag': 'not_found' } } }
  await using gone = await openProvider('dropbox', () => ({ status: 409, body }))
  expect(await gone.connector.fetchRecord('files', 'id:a', ['name'])).toBeUndefined()
  await using other = await openProvider('dropbox', () => ({ status: 409, body: { error_summary: 'other/...' } }))
  await expect(other.connector.readPage({ object: 'files', fields: ['name'] })).rejects.toMatchObject({
    providerMessage: 'other/...',
  })
})

it('folders are made, moved and deleted, and a list has them without files', async () => {
  const folder = { '.tag': 'folder', id: 'id:f', name: 'f', path_display: '/f' }
  await using opened = await openProvider('dropbox', ({ url, body }) => {
    if (url.pathname === '/2/files/list_folder')
      return { body: { entries: [file('a'), folder], cursor: 'c1', has_more: false } }
    if (JSON.parse(body).path === 'id:gone')
      return {
        status: 409,
        body: { error_summary: 'path_lookup/not_found/', error: { path_lookup: { '.tag': 'not_found' } } },
      }
    return { body: { metadata: { id: 'id:f', name: 'f', path_display: '/f' } } }
  })
  const { connector, seen } = opened
  expect((await connector.readPage({ object: 'folders', fields: ['name'] })).records).toMatchObject([{ id: 'id:f' }])
  seen.length = 0
  const made = await connector.write({ object: 'folders', type: 'create', record: { path_display: '/f' } })
  expect(made).toMatchObject({ success: true, recordId: 'id:f', data: { path_display: '/f' } })
  await connector.write({ object: 'folders', type: 'update', id: 'id:f', record: { path_display: '/g/f' } })
  await connector.write({ object: 'files', type: 'delete', id: 'id:a', record: {} })
  await expect(connector.write({ object: 'files', type: 'delete', id: 'id:gone', record: {} })).rejects.toMatchObject({
    class: 'not_found',
  })
  expect(seen.map(({ url, body }) => [url.pathname, JSON.parse(body)])).toEqual([
    ['/2/files/create_folder_v2', { path: '/f' }],
    ['/2/files/move_v2', { from_path: 'id:f', to_path: '/g/f' }],
    ['/2/files/delete_v2', { path: 'id:a' }],
    ['/2/files/delete_v2', { path: 'id:gone' }],
  ])
})

it('a read whose cursor was reset begins again, and access is granted with a refresh token', async () => {
  await using opened = await openProvider('dropbox', ({ url }) =>
    url.pathname === '/2/files/list_folder'
      ? { body: { entries: [file('a')], cursor: 'c1', has_more: true } }
      : { status: 409, body: { error_summary: 'reset/..', error: { '.tag': 'reset' } } },
  )
  const { nextPage = '' } = await opened.connector.readPage({ object: 'files', fields: ['name'] })
  const next = opened.connector.readPage({ object: 'files', fields: ['name'], page: nextPage })
  await expect(next).rejects.toMatchObject({ class: 'cursor_gone' })
  const [scheme] = (await loadCatalogue({ cacheDir: testCache })).find('dropbox')?.authentication ?? []
  expect(scheme).toMatchObject({ authUrlParams: { token_access_type: 'offline' } })
})
