import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.sage.com/intacct shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'oauth2', accessToken: 'token' } as const
const object = 'accounts-receivable/invoice'

const model = {
  fields: {
    key: { type: 'string', readOnly: true, writeOnly: false, required: false },
    state: { type: 'string', enum: ['draft', 'paid'], readOnly: true, writeOnly: false, required: false },
    secret: { type: 'string', writeOnly: true },
  },
  refs: { customer: { fields: { id: { type: 'string' }, key: { type: 'string' } } }, file: { fields: {} } },
  groups: { audit: { fields: { modifiedDateTime: { type: 'string', format: 'date-time', readOnly: true } } } },
}

function intacct({ url, body }: SeenRequest): Answer {
  if (url.pathname.endsWith('/model')) return { body: { 'ia::result': model } }
  const { start = 1 } = JSON.parse(body) as { start?: number }
  const record = { key: String(start), state: 'paid', 'customer.id': 'C-1' }
  const meta = { totalCount: 2, start, pageSize: 1, next: start === 1 ? 2 : null, previous: null }
  return { body: { 'ia::result': [record], 'ia::meta': meta } }
}

it('fields are those that a query returns', async () => {
  await using provider = await openProvider('sageIntacct', intacct, { credential })
  const { fields } = await provider.connector.describeObject(object)
  expect(Object.keys(fields)).toEqual(['key', 'state', 'customer.key', 'customer.id', 'audit.modifiedDateTime'])
  expect(fields['state']).toMatchObject({ valueType: 'singleSelect', values: [{ value: 'draft' }, { value: 'paid' }] })
  expect(fields['audit.modifiedDateTime']).toMatchObject({ valueType: 'datetime', readOnly: true })
})

it('records are read by a query, page by page, in a window, and those of private entities, too', async () => {
  await using provider = await openProvider('sageIntacct', intacct, { credential })
  const request = { object, fields: ['customer.id'], pageSize: 1, since: new Date('2026-01-01T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  expect(first).toMatchObject({ records: [{ id: '1', fields: { 'customer.id': 'C-1' } }], total: 2 })
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [{ id: '2' }], nextPage: undefined })
  const query = {
    object,
    fields: ['key', 'customer.id'],
    filterParameters: { includePrivate: true },
    orderBy: [{ key: 'asc' }],
    size: 1,
    filters: [{ $gte: { 'audit.modifiedDateTime': '2026-01-01T00:00:00Z' } }],
  }
  expect(provider.seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { ...query, start: 1 },
    { ...query, start: 2 },
  ])
})

it('records are read by their keys', async () => {
  await using provider = await openProvider('sageIntacct', intacct, { credential })
  const found = await provider.connector.fetchRecords(object, ['1'], ['state'])
  expect(found.get('1')).toMatchObject({ fields: { state: 'paid' } })
  expect(JSON.parse(provider.seen[0]?.body ?? '')).toMatchObject({
    filters: [{ $in: { key: ['1'] } }],
    filterParameters: { includePrivate: true },
  })
})

it.each([
  ['company-config/audit-history', 'create'],
  ['accounts-payable/advance-line', 'create'],
  ['accounts-receivable/payment', 'update'],
  ['cash-management/bank-fee', 'delete'],
] as const)('%s has no request to %s it', async (object, type) => {
  await using provider = await openProvider('sageIntacct', intacct, { credential })
  const write = provider.connector.write({ object, type, id: '1', record: {} })
  await expect(write).rejects.toMatchObject({ class: 'unsupported_object' })
  expect(provider.seen).toEqual([])
})

it('what Sage Intacct can write of an object is written', async () => {
  const written = (): Answer => ({ body: { 'ia::result': { key: '1' } } })
  await using provider = await openProvider('sageIntacct', written, { credential })
  const { connector, seen } = provider
  await connector.write({ object: 'accounts-receivable/payment', type: 'create', record: {} })
  await connector.write({ object: 'accounts-payable/advance-line', type: 'update', id: '1', record: {} })
  expect(seen.map(({ method, url }) => [method, url.pathname])).toEqual([
    ['POST', '/ia/api/v1/objects/accounts-receivable/payment'],
    ['PATCH', '/ia/api/v1/objects/accounts-payable/advance-line/1'],
  ])
})
