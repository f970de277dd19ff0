import { expect, it } from 'vitest'
import { proxyBase } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.smartsheet.com/api/smartsheet shows as answers, as far as the provider file relies on it. */

const columns = [
  { id: 11, title: 'Task', type: 'TEXT_NUMBER' },
  { id: 12, title: 'Done', type: 'CHECKBOX' },
]

function smartsheet({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { body: { message: 'SUCCESS', resultCode: 0, result: [7] } }
  if (method === 'POST') {
    const [row] = JSON.parse(body) as { cells?: object[] }[]
    return row?.cells === undefined
      ? { status: 400, body: { errorCode: 1012, message: 'Required object attribute(s) are missing.' } }
      : { body: { message: 'SUCCESS', resultCode: 0, result: [{ id: 7, ...row }] } }
  }
  if (pathname === '/2.0/sheets/5/columns') return { body: { pageNumber: 1, totalPages: 1, data: columns } }
  if (pathname === '/2.0/sheets/5') {
    const cells = [
      { columnId: 11, value: 'Write' },
      { columnId: 12, value: true },
    ]
    return { body: { id: 5, name: 'Plan', totalRowCount: 1, columns, rows: [{ id: 6, rowNumber: 1, cells }] } }
  }
  if (pathname === '/2.0/workspaces/8/metadata') return { body: { id: 8, name: 'Team' } }
  if (pathname === '/2.0/workspaces') {
    if (searchParams.get('paginationType') !== 'token') return { status: 400, body: { message: 'Use tokens.' } }
    const isFirst = searchParams.get('lastKey') === null
    return { body: { data: [{ id: isFirst ? 8 : 9 }], ...(isFirst && { lastKey: 'k+1' }) } }
  }
  // A page behind the last one is the last one again.
  const page = Math.min(2, Number(searchParams.get('page')))
  return { body: { pageNumber: page, totalPages: 2, totalCount: 2, data: [{ id: page, name: `Sheet ${page}` }] } }
}

it('sheets are read to the last page, those that changed since a time', async () => {
  await using provider = await openProvider('smartsheet', smartsheet)
  const request = { object: 'sheets', fields: ['name'], pageSize: 1, since: new Date('2026-01-01T00:00:00Z') }
  expect((await readAll(provider.connector, request)).map(({ id }) => id)).toEqual(['1', '2'])
  expect(asked(provider.seen)).toEqual([
    'GET /2.0/sheets?page=1&pageSize=1&modifiedSince=2025-12-31T23:59:59Z',
    'GET /2.0/sheets?page=2&pageSize=1&modifiedSince=2025-12-31T23:59:59Z',
  ])
})

it('the rows of a sheet have its columns as fields, which are described', async () => {
  await using provider = await openProvider('smartsheet', smartsheet)
  const { records } = await provider.connector.readPage({ object: 'sheets/5', fields: ['Task', 'Done'] })
  expect(records).toMatchObject([{ id: '6', fields: { task: 'Write', done: true } }])
  const { fields } = await provider.connector.describeObject('sheets/5')
  expect(fields).toMatchObject({ Task: { valueType: 'string' }, Done: { valueType: 'boolean' } })
})

it('rows are created and deleted by the names of columns', async () => {
  await using provider = await openProvider('smartsheet', smartsheet)
  const { connector, seen } = provider
  const object = 'sheets/5'
  expect(await connector.write({ object, type: 'create', record: { Task: 'Read' } })).toMatchObject({ recordId: '7' })
  await connector.write({ object, type: 'delete', id: '7', record: {} })
  expect(asked(seen).filter((line) => !line.startsWith('GET'))).toEqual([
    'POST /2.0/sheets/5/rows [{"cells":[{"columnId":11,"value":"Read"}]}]',
    'DELETE /2.0/sheets/5/rows?ids=7',
  ])
  const refused = connector.write({ object, type: 'create', record: {} })
  await expect(refused).rejects.toMatchObject({ providerMessage: 'Required object attribute(s) are missing.' })
})

it('workspaces are read by tokens to the last page, and one of them without its content', async () => {
  await using provider = await openProvider('smartsheet', smartsheet)
  const { connector, seen } = provider
  const request = { object: 'workspaces', fields: ['name'], pageSize: 1 }
  expect((await readAll(connector, request)).map(({ id }) => id)).toEqual(['8', '9'])
  expect(asked(seen)).toEqual([
    'GET /2.0/workspaces?paginationType=token&maxItems=1',
    'GET /2.0/workspaces?paginationType=token&maxItems=1&lastKey=k+1',
  ])
  expect(await connector.fetchRecord('workspaces', '8', ['name'])).toMatchObject({ fields: { name: 'Team' } })
})

it('contacts are those that changed since a time', async () => {
  await using provider = await openProvider('smartsheet', () => ({ body: { totalPages: 1, data: [{ id: 'c1' }] } }))
  const request = { object: 'contacts', fields: ['name'], since: new Date('2026-01-01T00:00:00Z') }
  expect(await readAll(provider.connector, request)).toHaveLength(1)
  expect(provider.seen[0]?.url.searchParams.get('modifiedSince')).toBe('2026-01-01T00:00:00Z')
})

it('accounts of other regions have another host; others need not name one', async () => {
  await using provider = await openProvider('smartsheet', smartsheet)
  const hostFor = (metadata: Record<string, string>) => proxyBase(provider.entry, { metadata }).host
  expect([hostFor({}), hostFor({ domain: 'smartsheet.eu' })]).toEqual(['api.smartsheet.com', 'api.smartsheet.eu'])
})

it.each([
  [4003, 'rate_limited'],
  [4004, 'provider_5xx'],
])('error %i passes', async (errorCode, kind) => {
  const refusal = { status: 400, body: { errorCode, message: 'Try again later.' } }
  await using provider = await openProvider('smartsheet', () => refusal)
  const read = provider.connector.readPage({ object: 'sheets', fields: ['name'] })
  await expect(read).rejects.toMatchObject({ class: kind })
})

it('an update of a row has its id as a number', async () => {
  const answer = ({ method, url, body }: SeenRequest): Answer => {
    if (url.pathname.endsWith('/columns')) return { body: { totalPages: 1, data: columns } }
    if (method === 'GET') return { body: { id: 6, rowNumber: 1, cells: [] } }
    return { body: { message: 'SUCCESS', resultCode: 0, result: JSON.parse(body) as object[] } }
  }
  await using provider = await openProvider('smartsheet', answer)
  const update = { object: 'sheets/5', type: 'update', id: '6', record: { Task: 'Read' } } as const
  expect(await provider.connector.write(update)).toMatchObject({ success: true, recordId: '6' })
  expect(asked(provider.seen).filter((line) => line.startsWith('PUT'))).toEqual([
    'PUT /2.0/sheets/5/rows [{"cells":[{"columnId":11,"value":"Read"}],"id":6}]',
  ])
})
