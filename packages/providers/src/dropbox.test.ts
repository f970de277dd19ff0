import { expect, it } from 'vitest'
import { openProvider } from './testing/open-provider.testkit.ts'

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
