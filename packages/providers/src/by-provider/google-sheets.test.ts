import { expect, it } from 'vitest'
import { createConnector, loadCatalogue } from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { asked, readAll } from '../testing/open-provider.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** What developers.google.com/sheets/api and .../drive/api show as answers, as far as the file relies on it. */

const book = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms'
const values = [['Name', 'Major', 'Age', 'Enrolled'], ['Ada', 'Math', 36, true], [], ['Alan', '', 41], ['Grace']]

const listOf = (found: unknown[][]): Answer => ({
  body: { range: "'Class Data'!A1:Z1000", majorDimension: 'ROWS', ...(found.length > 0 && { values: found }) },
})

function sheets({ method, url }: SeenRequest): Answer {
  const updatedRange = "'Class Data'!A6:D6"
  if (url.pathname.endsWith(':append')) return { body: { spreadsheetId: book, updates: { updatedRange } } }
  if (url.pathname.endsWith(':clear')) return { body: { spreadsheetId: book, clearedRange: updatedRange } }
  if (method === 'PUT') return { body: { spreadsheetId: book, updatedRange, updatedRows: 1 } }
  const [, id, range] = /^\/v4\/spreadsheets\/([^/]+)\/values\/(.+)$/.exec(url.pathname) ?? []
  if (range === undefined) {
    const properties = { sheetId: 0, title: 'Class Data', index: 0, sheetType: 'GRID' }
    return { body: { sheets: [{ properties }, { properties: { ...properties, sheetId: 7, title: "It's" } }] } }
  }
  if (id !== book || url.searchParams.get('valueRenderOption') !== 'UNFORMATTED_VALUE')
    return {
      status: 404,
      body: { error: { code: 404, message: 'Requested entity was not found.', status: 'NOT_FOUND' } },
    }
  switch (decodeURIComponent(range)) {
    case "'Class Data'":
      return listOf(values)
    case "'Class Data'!1:1":
      return listOf(values.slice(0, 1))
    case "'Empty'":
    case "'Empty'!1:1":
      return listOf([])
    case "'Names'":
      return listOf(values.slice(0, 1))
    case "'It''s/x'":
      return listOf([['A'], ['1']])
    case "'Half'":
      return { body: {} }
    case "'Twice'":
    case "'Twice'!1:1":
      return listOf([
        ['A', 'a'],
        ['1', '2'],
      ])
    case "'Wide'":
      return listOf([['A'], ['1', '2']])
    case "'Nameless'":
    case "'Nameless'!1:1":
      return listOf([
        ['A', '', 'C'],
        ['1', '2', '3'],
      ])
    default:
      return { status: 400, body: { error: { code: 400, message: `Unable to parse range: ${range}` } } }
  }
}

const file = { id: book, name: 'Class', modifiedTime: '2026-01-02T00:00:00.000Z', trashed: false }

function drive({ url }: SeenRequest): Answer {
  if (url.pathname === `/drive/v3/files/${book}`) return { body: file }
  if (url.pathname !== '/drive/v3/files') return { body: { ...file, id: 'old', trashed: true } }
  if (url.searchParams.get('q')?.includes("'incomplete'")) return { body: { files: [file], incompleteSearch: true } }
  return { body: { files: [file] } }
}

async function connect(metadata: Record<string, string> = {}) {
  const server = await startServer((request) =>
    request.url.pathname.startsWith('/drive/') ? drive(request) : sheets(request),
  )
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('googleSheets')
  if (entry === undefined) throw new Error('no googleSheets')
  const toServer = (from: string) => plainHttp(fetch, { from, to: server.origin })
  const [ofSheets, ofDrive] = [toServer('https://sheets.googleapis.com'), toServer('https://www.googleapis.com')]
  const connection = { metadata, credential: { scheme: 'oauth2', accessToken: 't1' } } as const
  const connector = createConnector(entry, connection, (request) =>
    request.url.startsWith('https://www.') ? ofDrive(request) : ofSheets(request),
  )
  return { connector, seen: server.seen, [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose]() }
}

const rows = (sheet: string) => ({ object: `${book}/${sheet}`, fields: 'all' }) as const

it('each row is a record with the names of the first row, and its number in the sheet', async () => {
  await using opened = await connect()
  const records = await readAll(opened.connector, rows('Class Data'))
  expect(records.map(({ id, raw }) => [id, raw])).toEqual([
    ['2', { Name: 'Ada', Major: 'Math', Age: 36, Enrolled: true, rowNumber: 2 }],
    ['4', { Name: 'Alan', Major: '', Age: 41, Enrolled: null, rowNumber: 4 }],
    ['5', { Name: 'Grace', Major: null, Age: null, Enrolled: null, rowNumber: 5 }],
  ])
  expect(asked(opened.seen.filter(({ url }) => !url.pathname.endsWith('1:1')))[0]).toContain(
    `/v4/spreadsheets/${book}/values/`,
  )
})

it('a sheet without rows has no records, and half an answer is not such a sheet', async () => {
  await using opened = await connect()
  expect(await readAll(opened.connector, rows('Empty'))).toEqual([])
  expect(await readAll(opened.connector, { ...rows('Names'), fields: ['Name'] })).toEqual([])
  await expect(readAll(opened.connector, { ...rows('Half'), fields: ['Name'] })).rejects.toMatchObject({
    class: 'unexpected_response',
  })
})

it.each([
  ['two columns have one name', 'Twice', 'twice'],
  ['a row is longer than the row of names', 'Wide', '2 cells'],
  ['a column has no name', 'Nameless', 'no name'],
])('a table in which %s is an error that says so', async (_, sheet, why) => {
  await using opened = await connect()
  await expect(readAll(opened.connector, { ...rows(sheet), fields: ['A'] })).rejects.toMatchObject({
    class: 'unexpected_response',
    message: expect.stringContaining(why) as string,
  })
})

it('a title stays one title, whatever it contains', async () => {
  await using opened = await connect()
  const [record] = await readAll(opened.connector, { ...rows("It's/x"), fields: ['A'] })
  expect(record?.fields).toEqual({ a: '1' })
  await expect(readAll(opened.connector, { ...rows("x'!A1"), fields: ['A'] })).rejects.toMatchObject({
    class: 'bad_request',
  })
})

it('fields are the names of the first row, and the number of the row', async () => {
  await using opened = await connect()
  const { fields } = await opened.connector.describeObject(`${book}/Class Data`)
  expect(Object.keys(fields)).toEqual(['Name', 'Major', 'Age', 'Enrolled', 'rowNumber'])
  expect(fields['rowNumber']).toMatchObject({ valueType: 'int', readOnly: true })
  expect(Object.keys((await opened.connector.describeObject(`${book}/Empty`)).fields)).toEqual(['rowNumber'])
})

it('a sheet of the spreadsheet that the connection names needs no id in its name', async () => {
  await using opened = await connect({ spreadsheetId: book })
  const records = await readAll(opened.connector, { object: 'sheets/Class Data', fields: ['Name'] })
  expect(records.map(({ fields }) => fields['name'])).toEqual(['Ada', 'Alan', 'Grace'])
  await using without = await connect()
  await expect(readAll(without.connector, { object: 'sheets/Class Data', fields: ['Name'] })).rejects.toThrow(
    'is missing',
  )
  expect(without.seen).toEqual([])
})

it('a row is written in the order of the columns: appended, changed or cleared', async () => {
  await using opened = await connect({ spreadsheetId: book })
  const { connector, seen } = opened
  const object = `${book}/Class Data`
  const added = await connector.write({ object, type: 'create', record: { age: 20, Name: '=1+1' } })
  expect(added).toMatchObject({ success: true, recordId: '6' })
  await connector.write({ object: 'sheets/Class Data', type: 'update', id: '6', record: { Major: null } })
  await connector.write({ object, type: 'delete', id: '6', record: {} })
  const written = seen.filter(({ method }) => method !== 'GET')
  expect(written.map(({ method, url }) => `${method} ${decodeURIComponent(url.pathname)}${url.search}`)).toEqual([
    `POST /v4/spreadsheets/${book}/values/'Class Data'!A1:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS`,
    `PUT /v4/spreadsheets/${book}/values/'Class Data'!6:6?valueInputOption=RAW`,
    `POST /v4/spreadsheets/${book}/values/'Class Data'!6:6:clear`,
  ])
  expect(written.slice(0, 2).map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { majorDimension: 'ROWS', values: [['=1+1', null, 20, null]] },
    { majorDimension: 'ROWS', values: [[null, '', null, null]] },
  ])
})

it.each([
  ['a field that is no column', 'Class Data', { Nme: 'Ada' }, 'no column “Nme”'],
  ['two columns of one name', 'Twice', { a: '1' }, 'twice'],
  ['a column without a name', 'Nameless', { A: '1' }, 'no name'],
  ['no names', 'Empty', { A: '1' }, 'no names'],
])('%s: no row is written', async (_, sheet, record, why) => {
  await using opened = await connect()
  const request = { object: `${book}/${sheet}`, type: 'create', record } as const
  await expect(opened.connector.write(request)).rejects.toThrow(why)
  expect(opened.seen.map(({ method }) => method)).toEqual(['GET'])
})

it('spreadsheets are listed by Drive, without those in the trash, and found by name', async () => {
  await using opened = await connect()
  const { connector, seen } = opened
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-02-01T00:00:00Z') }
  expect(await readAll(connector, { object: 'spreadsheets', fields: ['name'], ...window })).toHaveLength(1)
  expect(seen[0]?.url.searchParams.get('q')).toBe(
    "mimeType = 'application/vnd.google-apps.spreadsheet' and trashed = false and modifiedTime >= '2026-01-01T00:00:00Z' and modifiedTime <= '2026-02-01T00:00:00Z'",
  )
  expect(seen[0]?.url.searchParams.has('corpora')).toBe(false)
  expect(await connector.fetchRecord('spreadsheets', book, ['name'])).toMatchObject({ id: book })
  expect(await connector.fetchRecord('spreadsheets', 'old', ['name'])).toBeUndefined()
  const search = (value: string) =>
    connector.search({ object: 'spreadsheets', fields: [], filters: [{ field: 'name', operator: 'eq', value }] })
  expect((await search("Class' or trashed = true")).records).toHaveLength(1)
  expect(seen.at(-1)?.url.searchParams.get('q')).toBe(
    "mimeType = 'application/vnd.google-apps.spreadsheet' and trashed = false and name = 'Class\\' or trashed = true'",
  )
  await expect(search('incomplete')).rejects.toMatchObject({ class: 'unexpected_response' })
})

it('sheets are those of each spreadsheet, by its id and theirs', async () => {
  await using opened = await connect()
  const records = await readAll(opened.connector, { object: 'sheets', fields: ['title', 'spreadsheetName'] })
  expect(records.map(({ id, fields }) => [id, fields])).toEqual([
    [`${book}/0`, { title: 'Class Data', spreadsheetname: 'Class' }],
    [`${book}/7`, { title: "It's", spreadsheetname: 'Class' }],
  ])
})
