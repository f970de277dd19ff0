import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** Responses that developers.google.com/drive shows, as far as the provider file relies on them. */

it('changed files are searched with the requested fields, also in shared drives', async () => {
  await using opened = await openProvider('googleDrive', () => ({ body: { files: [{ id: 'f1', name: 'Plan' }] } }))
  const { connector, seen } = opened
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  const page = await connector.readPage({ object: 'files', fields: ['name'], ...window })
  expect(page.records).toMatchObject([{ id: 'f1', fields: { name: 'Plan' } }])
  const { searchParams } = seen[0]?.url ?? new URL('https://missing.invalid')
  expect(Object.fromEntries(searchParams)).toEqual({
    pageSize: '1000',
    q: "modifiedTime >= '2026-01-01T00:00:00Z' and modifiedTime <= '2026-01-02T00:00:00Z'",
    fields: 'nextPageToken,incompleteSearch,files(id,name)',
    includeItemsFromAllDrives: 'true',
    supportsAllDrives: 'true',
  })
})

it('a search that did not reach all drives is an error', async () => {
  await using opened = await openProvider('googleDrive', () => ({ body: { incompleteSearch: true, files: [] } }))
  await expect(opened.connector.readPage({ object: 'files', fields: ['name'] })).rejects.toMatchObject({
    class: 'unexpected_response',
  })
})

it('a file moves from one folder to another', async () => {
  await using opened = await openProvider('googleDrive', () => ({ body: { id: 'f1' } }))
  const record = { name: 'Plan', addParents: 'd2', removeParents: 'd1' }
  await opened.connector.write({ object: 'files', type: 'update', id: 'f1', record })
  expect(asked(opened.seen)).toEqual([
    'PATCH /drive/v3/files/f1?supportsAllDrives=true&addParents=d2&removeParents=d1 {"name":"Plan"}',
  ])
})
