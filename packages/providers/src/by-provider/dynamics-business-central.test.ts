import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What learn.microsoft.com shows as answers of Business Central, as far as the provider file relies on it. */

const given = { metadata: { workspace: 't1', environmentName: 'production', companyId: 'c1' } }
const path = '/v2.0/t1/production/api/v2.0/companies(c1)/customers'

function businessCentral({ method, url }: SeenRequest): Answer {
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') return { status: method === 'POST' ? 201 : 200, body: { id: '7', displayName: 'Ada' } }
  const isLast = url.searchParams.has('$skiptoken')
  const next = `https://api.businesscentral.dynamics.com${path}?$skiptoken=2`
  return { body: { value: [{ id: isLast ? '2' : '1' }], ...(!isLast && { '@odata.nextLink': next }) } }
}

it('records that changed are read page by page, of the company of the connection', async () => {
  await using provider = await openProvider('dynamicsBusinessCentral', businessCentral, given)
  const since = new Date('2026-01-01T00:00:00Z')
  const until = new Date('2026-01-02T00:00:00Z')
  const records = await readAll(provider.connector, { object: 'customers', fields: ['id'], since, until })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
  const window = 'lastModifiedDateTime ge 2026-01-01T00:00:00.000Z and lastModifiedDateTime le 2026-01-02T00:00:00.000Z'
  expect(asked(provider.seen)).toEqual([`GET ${path}?$filter=${window}`, `GET ${path}?$skiptoken=2`])
  expect(provider.seen[0]?.headers['prefer']).toBe('odata.maxpagesize=1000')
})

it('records are created, and changed and deleted in whichever version they are', async () => {
  await using provider = await openProvider('dynamicsBusinessCentral', businessCentral, given)
  const { connector, seen } = provider
  const object = 'customers'
  expect(await connector.write({ object, type: 'create', record: { displayName: 'Ada' } })).toMatchObject({
    recordId: '7',
  })
  await connector.write({ object, type: 'update', id: '7', record: { displayName: 'Bob' } })
  await connector.write({ object, type: 'delete', id: '7', record: {} })
  expect(asked(seen)).toEqual([
    `POST ${path} {"displayName":"Ada"}`,
    `PATCH ${path}(7) {"displayName":"Bob"}`,
    `DELETE ${path}(7)`,
  ])
  expect(seen.map(({ headers }) => headers['if-match'])).toEqual([undefined, '*', '*'])
})

it('ledger entries of customers and vendors are read from the API that has them, by their number', async () => {
  const answer = () => ({ body: { value: [{ entryNumber: 12, amount: 10 }] } })
  await using provider = await openProvider('dynamicsBusinessCentral', answer, given)
  for (const object of ['customerLedgerEntries', 'vendorLedgerEntries'])
    expect(await readAll(provider.connector, { object, fields: ['amount'] })).toMatchObject([{ id: '12' }])
  const finance = '/v2.0/t1/production/api/microsoft/reportsFinance/beta/companies(c1)'
  expect(asked(provider.seen)).toEqual([`GET ${finance}/customerLedgerEntries`, `GET ${finance}/vendorLedgerEntries`])
})
