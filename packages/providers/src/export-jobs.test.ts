import { expect, it } from 'vitest'
import type { ProviderRecord, ReadPageRequest } from './connector.ts'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { openProvider } from './testing/open-provider.testkit.ts'

/** Export jobs as the documentation of Salesforce (Bulk API 2.0) and Shopify (bulk operations) shows them. */

async function readByJob(name: string, answer: (seen: SeenRequest) => Answer, request: ReadPageRequest) {
  await using provider = await openProvider(name, answer, { metadata: { workspace: 'acme' } })
  const records: ProviderRecord[] = []
  let page: string | undefined
  do {
    const found = await provider.connector.readPage({ ...request, jobs: true, ...(page !== undefined && { page }) })
    expect(found.notice).toBeUndefined()
    records.push(...found.records)
    page = found.nextPage
  } while (page !== undefined)
  return { records, seen: provider.seen }
}

const described = [
  { name: 'Id', type: 'id' },
  { name: 'Name', type: 'string' },
  { name: 'NumberOfEmployees', type: 'int' },
  { name: 'AnnualRevenue', type: 'currency' },
  { name: 'Active__c', type: 'boolean' },
  { name: 'IsDeleted', type: 'boolean' },
  { name: 'CreatedDate', type: 'datetime' },
  { name: 'BillingAddress', type: 'address' },
]
const header = '"Id","IsDeleted","Name","NumberOfEmployees","AnnualRevenue","Active__c","CreatedDate"'
const parts = [
  `${header}\n"001A","false","Acme, ""Inc.""\nBerlin","12","1.5E6","true","2026-01-01T10:00:00.000Z"\n`,
  `${header}\n"001B","true","","","","false",""\n`,
]

function salesforce({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (pathname.endsWith('/composite')) return { body: { compositeResponse: [{ body: { fields: described } }] } }
  if (/query(All)?$/.test(pathname) && method === 'GET')
    return {
      body: {
        totalSize: 10_001,
        done: false,
        nextRecordsUrl: '/services/data/v60.0/query/01g-2',
        records: [{ Id: '001A' }],
      },
    }
  if (method === 'POST') return { body: { id: '750x', ...JSON.parse(body), state: 'UploadComplete' } }
  if (pathname.endsWith('/750x')) return { body: { id: '750x', state: 'JobComplete', numberRecordsProcessed: 2 } }
  const isLast = searchParams.has('locator')
  return { headers: { 'sforce-locator': isLast ? 'null' : 'MTAw' }, body: parts[isLast ? 1 : 0] }
}

const fields = ['Name', 'NumberOfEmployees', 'AnnualRevenue', 'Active__c', 'CreatedDate']
const since = new Date('2026-01-01T00:00:00Z')

it('Salesforce: a result has the values of the list, and deleted records on demand', async () => {
  const { records, seen } = await readByJob('salesforce', salesforce, {
    object: 'Account',
    fields,
    since,
    deletions: true,
  })
  expect(records.map(({ id, deleted, fields: values }) => ({ id, deleted, ...values }))).toEqual([
    {
      id: '001A',
      deleted: undefined,
      name: 'Acme, "Inc."\nBerlin',
      numberofemployees: 12,
      annualrevenue: 1_500_000,
      active__c: true,
      createddate: '2026-01-01T10:00:00.000+0000',
    },
    {
      id: '001B',
      deleted: true,
      name: null,
      numberofemployees: null,
      annualrevenue: null,
      active__c: false,
      createddate: null,
    },
  ])
  const submitted = seen.find(({ method, url }) => method === 'POST' && url.pathname.endsWith('/jobs/query'))
  expect(JSON.parse(submitted?.body ?? '')).toMatchObject({
    operation: 'queryAll',
    query: `SELECT Id,IsDeleted,${fields.join()} FROM Account WHERE SystemModstamp >= 2026-01-01T00:00:00Z`,
  })
  const results = seen.filter(({ url }) => url.pathname.endsWith('/results')).map(({ url }) => url.search)
  expect(results).toEqual(['?maxRecords=10000', '?maxRecords=10000&locator=MTAw'])
})

it('Salesforce: compound fields are read by the list', async () => {
  const list = (seen: SeenRequest) =>
    seen.url.pathname.endsWith('01g-2') ? { body: { totalSize: 10_001, done: true, records: [] } } : salesforce(seen)
  const { seen } = await readByJob('salesforce', list, { object: 'Account', fields: ['BillingAddress'] })
  expect(seen.filter(({ url }) => url.pathname.includes('/jobs/'))).toEqual([])
})

const lines =
  '{"id":"gid://shopify/Customer/1","firstName":"Ada"}\n{"id":"gid://shopify/Customer/2","firstName":"Bo"}\n'

const shopify =
  (started: object) =>
  ({ url, body }: SeenRequest): Answer => {
    if (url.pathname === '/file') return { body: lines }
    const { query, variables } = JSON.parse(body) as { query: string; variables: { after?: string } }
    if (query.startsWith('mutation')) return { body: { data: { bulkOperationRunQuery: started } } }
    if (query.includes('BulkOperation'))
      return { body: { data: { node: { status: 'COMPLETED', errorCode: null, rootObjectCount: '2', url: '/file' } } } }
    const isLast = variables.after === 'c1'
    const node = { id: `gid://shopify/Customer/${isLast ? 2 : 1}`, firstName: 'of the list' }
    return { body: { data: { customers: { nodes: [node], pageInfo: { hasNextPage: !isLast, endCursor: 'c1' } } } } }
  }

it('Shopify: the query of the list is exported, and the file has no credential', async () => {
  const started = { bulkOperation: { id: 'gid://shopify/BulkOperation/7' }, userErrors: [] }
  const request = { object: 'customers', fields: ['firstName'], since }
  const { records, seen } = await readByJob('shopify', shopify(started), request)
  expect(records.map(({ fields: values }) => values)).toEqual([{ firstname: 'Ada' }, { firstname: 'Bo' }])
  const [, submitted] = seen.map(({ body }) => (body === '' ? undefined : JSON.parse(body)))
  expect(submitted.variables.query).toContain(
    `{ customers(query: "updated_at:>='2026-01-01T00:00:00Z'") { edges { node {`,
  )
  expect(seen.at(-1)?.url.pathname).toBe('/file')
  expect(seen.at(-1)?.headers['x-shopify-access-token']).toBeUndefined()
})

it('Shopify: while another bulk operation of the app runs, the list is read', async () => {
  const userErrors = [{ message: 'A bulk query operation for this app and shop is already in progress: 7.' }]
  const refused = shopify({ bulkOperation: null, userErrors })
  const { records } = await readByJob('shopify', refused, { object: 'customers', fields: ['firstName'] })
  expect(records.map(({ id }) => id)).toEqual(['gid://shopify/Customer/1', 'gid://shopify/Customer/2'])
})
