import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What airtable.com/developers/web/api shows as answers, as far as the provider file relies on it. */

const table = 'appLkNDICXNqxSDhG/tbltp8DGLhqbUmjK1'
const ada = { id: 'rec1', createdTime: '2026-01-01T00:00:00.000Z', fields: { Name: 'Ada', Age: 36 } }
const bo = { id: 'rec2', createdTime: '2026-01-01T00:00:00.000Z', fields: { Name: 'Bo' } }

function airtable({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { body: { deleted: true, id: 'rec9' } }
  if (method !== 'GET') {
    const { fields } = JSON.parse(body) as { fields: { Nme?: string } }
    const error = { type: 'UNKNOWN_FIELD_NAME', message: 'Unknown field name: "Nme"' }
    return fields.Nme === undefined ? { body: { ...ada, id: 'rec9', fields } } : { status: 422, body: { error } }
  }
  switch (pathname) {
    case '/v0/meta/bases':
      return { body: { bases: [{ id: 'app1' }, { id: 'app2' }] } }
    case '/v0/meta/bases/app1/tables':
      return { body: { tables: [{ id: 'tbl1', name: 'People' }] } }
    case `/v0/${table}`:
      return searchParams.has('offset') ? { body: { records: [bo] } } : { body: { records: [ada], offset: 'itr/rec1' } }
    default:
      return { status: 403, body: { error: { type: 'FORBIDDEN', message: 'Not allowed.' } } }
  }
}

it('the records of a table are read to the last page, with its columns as fields', async () => {
  await using provider = await openProvider('airtable', airtable)
  const records = await readAll(provider.connector, { object: table, fields: ['Name'] })
  expect(records).toMatchObject([
    { id: 'rec1', fields: { name: 'Ada' } },
    { id: 'rec2', fields: { name: 'Bo' } },
  ])
  expect(asked(provider.seen)).toEqual([
    `GET /v0/${table}?pageSize=100`,
    `GET /v0/${table}?pageSize=100&offset=itr/rec1`,
  ])
})

it('a list whose iterator has expired is read again', async () => {
  const error = { type: 'LIST_RECORDS_ITERATOR_NOT_AVAILABLE' }
  for (const body of [{ error }, { error: error.type }]) {
    await using provider = await openProvider('airtable', () => ({ status: 422, body }))
    const page = provider.connector.readPage({ object: table, fields: [] })
    await expect(page).rejects.toMatchObject({ class: 'cursor_gone' })
  }
})

it('a personal access token is sent like a token of OAuth', async () => {
  const credential = { scheme: 'apiKey', apiKey: 'pat1' } as const
  await using provider = await openProvider('airtable', airtable, { credential })
  await provider.connector.readPage({ object: 'bases', fields: [] })
  expect(provider.entry.authentication.map(({ scheme }) => scheme)).toEqual(['oauth2', 'apiKey'])
  expect(provider.seen[0]?.headers['authorization']).toBe('Bearer pat1')
})

it('a window is a formula, which knows that a new record may not have been modified', async () => {
  await using provider = await openProvider('airtable', airtable)
  const since = new Date('2026-01-01T00:00:00Z')
  await provider.connector.readPage({ object: table, fields: [], since, until: new Date('2026-01-02T00:00:00Z') })
  expect(provider.seen[0]?.url.searchParams.get('filterByFormula')).toBe(
    'AND(IS_AFTER(IF(LAST_MODIFIED_TIME(),LAST_MODIFIED_TIME(),CREATED_TIME()),"2025-12-31T23:59:59.999Z"),IS_BEFORE(IF(LAST_MODIFIED_TIME(),LAST_MODIFIED_TIME(),CREATED_TIME()),"2026-01-02T00:00:00.000Z"))',
  )
})

it('a search is a formula that no value can change', async () => {
  await using provider = await openProvider('airtable', airtable)
  const search = (...filters: [string, string | number][]) =>
    provider.connector.search({
      object: table,
      fields: [],
      filters: filters.map(([field, value]) => ({ field, operator: 'eq', value })),
    })
  expect((await search(['Name', 'Ada'], ['Age', 36])).records.map(({ id }) => id)).toEqual(['rec1'])
  expect((await search(['Name', '"),1=1,(\\"\n'])).records).toEqual([])
  expect(provider.seen.map(({ url }) => url.searchParams.get('filterByFormula'))).toEqual([
    'AND(Name="Ada",Age=36)',
    'AND(Name="\\"),1=1,(\\\\\\"\\n")',
  ])
  await expect(search(['1=1,Name', 'Ada'])).rejects.toMatchObject({ class: 'bad_request' })
})

it('tables are those of every base that the account may see', async () => {
  await using provider = await openProvider('airtable', airtable)
  const records = await readAll(provider.connector, { object: 'tables', fields: ['name'] })
  expect(records).toMatchObject([{ id: 'app1/tbl1', fields: { name: 'People' } }])
})

it('records are created, changed and deleted; a refusal says why', async () => {
  await using provider = await openProvider('airtable', airtable)
  const { connector } = provider
  const record = { Name: 'Cy' }
  expect(await connector.write({ object: table, type: 'create', record })).toMatchObject({ recordId: 'rec9' })
  await connector.write({ object: table, type: 'update', id: 'rec9', record })
  await connector.write({ object: table, type: 'delete', id: 'rec9', record: {} })
  expect(asked(provider.seen)).toEqual([
    `POST /v0/${table} {"fields":{"Name":"Cy"}}`,
    `PATCH /v0/${table}/rec9 {"fields":{"Name":"Cy"}}`,
    `DELETE /v0/${table}/rec9`,
  ])
  const refused = connector.write({ object: table, type: 'create', record: { Nme: 'Cy' } })
  await expect(refused).rejects.toMatchObject({ providerMessage: 'Unknown field name: "Nme"' })
})
