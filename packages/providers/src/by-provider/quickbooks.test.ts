import { expect, it } from 'vitest'
import { createConnector, loadCatalogue } from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** What the recorded answers of QuickBooks do not show. */

const entry = (await loadCatalogue({ cacheDir: testCache })).find('quickbooks')

async function connected(answer: (request: SeenRequest) => Answer) {
  if (entry === undefined) throw new Error('no provider quickbooks')
  const server = await startServer(answer)
  const credential = { scheme: 'oauth2', accessToken: 'token-of-the-test' } as const
  const hosts: string[] = []
  const connector = createConnector(entry, { metadata: { realmID: '42' }, credential }, (request) => {
    const { host, origin } = new URL(request.url)
    hosts.push(host)
    return plainHttp(fetch, { from: origin, to: server.origin })(request)
  })
  return { connector, server, hosts, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

it('a company’s own fields are those that Intuit’s GraphQL API defines for the entity', async () => {
  const node = (label: string, dataType: string, entity: string, kind: string) => ({
    node: {
      label,
      dataType,
      dropDownOptions: dataType === 'STRING_LIST' ? [{ value: 'Gold' }] : [],
      associations: [{ associatedEntity: entity, subAssociations: [{ associatedEntity: kind }] }],
    },
  })
  await using at = await connected(() => ({
    body: {
      data: {
        appFoundationsCustomFieldDefinitions: {
          edges: [
            node('Tier', 'STRING_LIST', '/network/Contact', 'CUSTOMER'),
            node('Budget', 'NUMBER', '/network/Contact', 'CUSTOMER'),
            node('Contract', 'STRING', '/network/Contact', 'VENDOR'),
            node('Sales rep', 'STRING', '/transactions/Transaction', 'SALE_INVOICE'),
          ],
          pageInfo: { hasNextPage: false, endCursor: null },
        },
      },
    },
  }))
  const { fields } = await at.connector.describeObject('customer')
  expect(fields['Tier']).toEqual({
    fieldName: 'Tier',
    displayName: 'Tier',
    providerType: 'STRING_LIST',
    valueType: 'singleSelect',
    isCustom: true,
    values: [{ value: 'Gold', displayValue: 'Gold' }],
  })
  expect(fields['Budget']).toMatchObject({ valueType: 'float', isCustom: true })
  expect(fields).not.toHaveProperty('Contract')
  expect(fields).not.toHaveProperty('Sales rep')
  expect(at.hosts).toEqual(['qb.api.intuit.com'])
  expect(at.server.seen[0]?.headers['authorization']).toBe('Bearer token-of-the-test')
})

it('a window is asked for newest first, and ends where it was told to end', async () => {
  const changed = (id: string, time: string) => ({ Id: id, MetaData: { LastUpdatedTime: time } })
  await using at = await connected(() => ({
    body: { QueryResponse: { Account: [changed('2', '2026-01-03T00:00:00Z'), changed('1', '2026-01-02T00:00:00Z')] } },
  }))
  const { records } = await at.connector.readPage({
    object: 'account',
    fields: ['Id'],
    since: new Date('2026-01-01T00:00:00Z'),
    until: new Date('2026-01-02T12:00:00Z'),
    filters: [{ field: 'Name', operator: 'eq', value: "Rock'n'Roll" }],
  })
  expect(records.map(({ id }) => id)).toEqual(['1'])
  expect(at.server.seen[0]?.url.searchParams.get('query')).toBe(
    "SELECT * FROM Account WHERE Active IN (true, false) AND MetaData.LastUpdatedTime >= '2026-01-01T00:00:00Z' AND Name = 'Rock\\'n\\'Roll' ORDERBY MetaData.LastUpdatedTime DESC STARTPOSITION 1 MAXRESULTS 1000",
  )
})

it.each([
  ['account', 'Account'],
  ['customer', 'Customer'],
  ['taxRate', 'TaxRate'],
])('a full read of %s has inactive records, too', async (object, entity) => {
  await using at = await connected(() => ({ body: { QueryResponse: {} } }))
  await at.connector.readPage({ object, fields: ['Id'] })
  expect(at.server.seen[0]?.url.searchParams.get('query')).toBe(
    `SELECT * FROM ${entity} WHERE Active IN (true, false) STARTPOSITION 1 MAXRESULTS 1000`,
  )
})

it('an update and a delete name the version that they change; a version that the caller names is taken', async () => {
  await using at = await connected(({ method }) => ({
    body: { Invoice: { Id: '7', SyncToken: method === 'GET' ? '3' : '4' } },
  }))
  const { connector } = at
  await connector.write({ object: 'invoice', type: 'update', id: '7', record: { DocNumber: 'A-1' } })
  await connector.write({ object: 'invoice', type: 'update', id: '7', record: { DocNumber: 'A-1', SyncToken: '1' } })
  await connector.write({ object: 'invoice', type: 'delete', id: '7', record: {} })
  expect(at.server.seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST', 'GET', 'POST'])
  const sent = at.server.seen.filter(({ method }) => method === 'POST')
  expect(sent.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { DocNumber: 'A-1', Id: '7', SyncToken: '3', sparse: true },
    { DocNumber: 'A-1', Id: '7', SyncToken: '1', sparse: true },
    { Id: '7', SyncToken: '3' },
  ])
  expect(sent[2]?.url.searchParams.get('operation')).toBe('delete')
})

it('a record is read by its id, under the name of its entity', async () => {
  await using at = await connected(() => ({ body: { BillPayment: { Id: '9', PayType: 'Check' } } }))
  await expect(at.connector.fetchRecord('billPayment', '9', ['PayType'])).resolves.toMatchObject({
    id: '9',
    fields: { paytype: 'Check' },
  })
  expect(at.server.seen[0]?.url.pathname).toBe('/v3/company/42/billpayment/9')
})

it('deletions are those of Change Data Capture: of 30 days, and without what only changed', async () => {
  await using at = await connected(({ url }) => {
    if (url.pathname !== '/v3/company/42/cdc') return { body: { QueryResponse: {} } }
    const changed = url.searchParams.get('entities') === 'Invoice'
    const Invoice = [
      { Id: '7', status: 'Deleted', domain: 'QBO', MetaData: { LastUpdatedTime: '2026-03-01T10:00:00Z' } },
      { Id: '8', domain: 'QBO', TotalAmt: 5 },
    ]
    return { body: { CDCResponse: [{ QueryResponse: [changed ? { Invoice, maxResults: 2 } : {}] }] } }
  })
  const request = { fields: ['TotalAmt'], deletions: true }
  const since = new Date(Date.now() - 86_400_000)
  const { records, missedDeletions } = await at.connector.readPage({ ...request, object: 'invoice', since })
  expect([records.map(({ id, deleted }) => [id, deleted]), missedDeletions]).toEqual([[['7', true]], undefined])
  const [, cdc] = at.server.seen
  expect([...(cdc?.url.searchParams ?? [])]).toEqual([
    ['entities', 'Invoice'],
    ['changedSince', since.toISOString().replace(/\.\d+Z/, 'Z')],
  ])
  const old = await at.connector.readPage({ ...request, object: 'bill', since: new Date(Date.now() - 40 * 86_400_000) })
  expect(old).toMatchObject({
    records: [],
    missedDeletions: 'QuickBooks reports deletions of the last 30 days only.',
  })
  expect(['customer', 'timeActivity', 'taxRate'].map((name) => at.connector.reportsDeletions(name))).toEqual([
    true,
    false,
    false,
  ])
})

it('an answer of Change Data Capture with a fault is an error, and not without deletions', async () => {
  await using at = await connected(({ url }) => ({
    body: url.pathname.endsWith('/cdc')
      ? { CDCResponse: [{ Fault: { Error: [{ Message: 'Invalid', code: '2010' }], type: 'ValidationFault' } }] }
      : { QueryResponse: {} },
  }))
  const since = new Date(Date.now() - 86_400_000)
  const read = at.connector.readPage({ object: 'invoice', fields: [], deletions: true, since })
  await expect(read).rejects.toMatchObject({ class: 'bad_request' })
})
