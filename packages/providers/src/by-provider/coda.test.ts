import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What coda.io/developers/apis/v1 shows as answers, as far as the provider file relies on it. */

const rows = 'docs/AbC/tables/grid-x1/rows'

function coda({ method, url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'POST') return { status: 202, body: { requestId: 'r1', addedRowIds: ['i-9'] } }
  if (method !== 'GET') return { status: 202, body: { requestId: 'r2', id: 'i-9' } }
  switch (pathname) {
    case '/apis/v1/docs':
      return searchParams.has('pageToken')
        ? { body: { items: [{ id: 'DeF', updatedAt: '2026-01-02T00:00:00.000Z' }] } }
        : { body: { items: [{ id: 'AbC', updatedAt: '2025-01-02T00:00:00.000Z' }], nextPageToken: 'p2' } }
    case '/apis/v1/docs/AbC/tables':
      return { body: { items: [{ id: 'grid-x1', name: 'Tasks' }] } }
    case `/apis/v1/${rows}`:
      return {
        body: {
          items: [
            { id: 'i-1', values: { 'Task name': 'Write', Done: false }, updatedAt: '2026-01-01T00:00:00.000Z' },
            { id: 'i-2', values: { 'Task name': 'Rewrite', Done: false }, updatedAt: '2026-01-01T00:00:00.000Z' },
          ],
        },
      }
    default:
      return { status: 403, body: { statusCode: 403, statusMessage: 'Forbidden', message: 'Forbidden' } }
  }
}

const open = () => openProvider('coda', coda, { credential: { scheme: 'apiKey', apiKey: 'key' } })

it('docs are read to the last page, and tables in those that the account may see', async () => {
  await using provider = await open()
  const docs = await readAll(provider.connector, {
    object: 'docs',
    fields: [],
    since: new Date('2026-01-01T00:00:00Z'),
  })
  expect(docs.map(({ id }) => id)).toEqual(['DeF'])
  const tables = await readAll(provider.connector, { object: 'tables', fields: ['name'] })
  expect(tables).toMatchObject([{ id: 'AbC/grid-x1', fields: { name: 'Tasks' } }])
})

it('the rows of a table have its columns as fields', async () => {
  await using provider = await open()
  const { records } = await provider.connector.readPage({ object: rows, fields: ["$['Task name']", 'Done'] })
  expect(records[0]).toMatchObject({ id: 'i-1', fields: { done: false } })
  expect(asked(provider.seen)).toEqual([`GET /apis/v1/${rows}?useColumnNames=true&limit=100`])
})

it('rows are found by the value of a column, whatever characters it has', async () => {
  await using provider = await open()
  const search = (field: string, value: string) =>
    provider.connector.search({ object: rows, fields: [], filters: [{ field, operator: 'eq', value }] })
  expect((await search('Task name', 'Write')).records.map(({ id }) => id)).toEqual(['i-1'])
  expect((await search('Task name', 'a"b\\c:d\n')).records).toEqual([])
  expect(provider.seen.map(({ url }) => url.searchParams.get('query'))).toEqual([
    '"Task name":"Write"',
    '"Task name":"a\\"b\\\\c:d\\n"',
  ])
})

it('rows are created, changed and deleted by the names of columns', async () => {
  await using provider = await open()
  const { connector } = provider
  const record = { 'Task name': 'Read' }
  expect(await connector.write({ object: rows, type: 'create', record })).toMatchObject({ recordId: 'i-9' })
  await connector.write({ object: rows, type: 'update', id: 'i-9', record })
  await connector.write({ object: rows, type: 'delete', id: 'i-9', record: {} })
  expect(asked(provider.seen)).toEqual([
    `POST /apis/v1/${rows} {"rows":[{"cells":[{"column":"Task name","value":"Read"}]}]}`,
    `PUT /apis/v1/${rows}/i-9 {"row":{"cells":[{"column":"Task name","value":"Read"}]}}`,
    `DELETE /apis/v1/${rows}/i-9`,
  ])
})

it('folders are a list of their own, and formulas and controls are those of each document', async () => {
  const lists = ({ url }: SeenRequest): Answer =>
    url.pathname === '/apis/v1/docs'
      ? { body: { items: [{ id: 'AbC' }] } }
      : { body: { items: [{ id: url.pathname.split('/').at(-1), name: 'Sum' }] } }
  await using provider = await openProvider('coda', lists, { credential: { scheme: 'apiKey', apiKey: 'key' } })
  const idsOf = async (object: string) =>
    (await readAll(provider.connector, { object, fields: ['name'] })).map(({ id }) => id)
  expect(await idsOf('folders')).toEqual(['folders'])
  expect(await idsOf('formulas')).toEqual(['AbC/formulas'])
  expect(await idsOf('controls')).toEqual(['AbC/controls'])
})

it('writes of the content of documents have a limit of their own, and the account is checked', async () => {
  await using provider = await open()
  const content = provider.entry.rateLimits?.find(({ perSeconds }) => perSeconds === 10)
  expect(content).toMatchObject({ requests: 5, for: 'write' })
  const paths = [
    '/apis/v1/docs/AbC/tables/grid-x1/rows',
    '/apis/v1/docs/AbC/pages/p1',
    '/apis/v1/docs/AbC',
    '/apis/v1/docs',
  ]
  expect(paths.map((path) => new RegExp(content?.path ?? '').test(path))).toEqual([true, true, false, false])
  expect(provider.entry.healthCheck).toMatchObject({ path: '/v1/whoami' })
})
