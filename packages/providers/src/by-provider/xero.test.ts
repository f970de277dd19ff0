import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.xero.com/documentation/api/accounting shows, as far as the provider file relies on it. */

const invalid = { ErrorNumber: 10, Type: 'ValidationException', Message: 'A validation exception occurred' }

function xero({ method, url, headers, body }: SeenRequest): Answer {
  if (headers['xero-tenant-id'] !== 'tenant-1')
    return { status: 403, body: { Title: 'Forbidden', Status: 403, Detail: 'AuthenticationUnsuccessful' } }
  const { searchParams } = url
  if (method !== 'GET') {
    const [contact] = (JSON.parse(body) as { Contacts: [{ Name?: string }] }).Contacts
    const Elements = [{ ValidationErrors: [{ Message: 'The contact name must be specified.' }] }]
    return contact.Name === undefined
      ? { status: 400, body: { ...invalid, Elements } }
      : { body: { Status: 'OK', Contacts: [{ ContactID: 'c9', ...contact }] } }
  }
  if (url.pathname === '/api.xro/2.0/Journals') {
    const offset = Number(searchParams.get('offset') ?? 0)
    const left = Array.from({ length: 120 - offset }, (_, at) => ({ JournalNumber: offset + at + 1, JournalID: 'j' }))
    return { body: { Journals: left.slice(0, 100) } }
  }
  if (url.pathname === '/api.xro/2.0/BankTransfers') {
    const deleted = searchParams.get('includeDeleted') === 'true' ? [{ BankTransferID: 'b2', Status: 'DELETED' }] : []
    return { body: { BankTransfers: [{ BankTransferID: 'b1', Status: 'AUTHORISED' }, ...deleted] } }
  }
  if (searchParams.get('includeArchived') !== 'true' || searchParams.get('pageSize') !== '1000') return { status: 400 }
  const page = Number(searchParams.get('page'))
  const pagination = { page, pageSize: 1000, pageCount: 2, itemCount: 1001 }
  return { body: { pagination, Contacts: [{ ContactID: `c${page}`, ContactStatus: 'ARCHIVED' }] } }
}

const open = () => openProvider('xero', xero, { metadata: { tenantId: 'tenant-1' } })

it('contacts are read to the last page, archived ones too, those that changed', async () => {
  await using provider = await open()
  const request = { object: 'contacts', fields: ['Name'], since: new Date('2026-01-01T00:00:00.500Z') }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['c1', 'c2'])
  expect(first.total).toBe(1001)
  expect(second.nextPage).toBeUndefined()
  expect(provider.seen.map(({ headers }) => headers['if-modified-since'])).toEqual(
    Array(2).fill('2026-01-01T00:00:00Z'),
  )
})

it('deleted bank transfers are requested, and reported as deletions', async () => {
  await using provider = await open()
  const request = { object: 'bankTransfers', fields: ['Status'], since: new Date('2026-01-01T00:00:00Z') }
  const all = await provider.connector.readPage({ ...request, deletions: true })
  expect(all.records.map(({ id, deleted }) => [id, deleted])).toEqual([
    ['b1', undefined],
    ['b2', true],
  ])
  expect((await provider.connector.readPage(request)).records.map(({ id }) => id)).toEqual(['b1'])
})

it('batch payments are deleted by their status', async () => {
  await using provider = await openProvider('xero', () => ({ body: { BatchPayments: [{ Status: 'DELETED' }] } }), {
    metadata: { tenantId: 'tenant-1' },
  })
  await provider.connector.write({ object: 'batchPayments', type: 'delete', id: 'p1', record: {} })
  expect(asked(provider.seen)).toEqual(['POST /api.xro/2.0/BatchPayments/p1 {"Status":"DELETED"}'])
})

it('bank transfers are deleted by their status, and a tax rate is changed in the list', async () => {
  await using provider = await openProvider('xero', () => ({ body: { BankTransfers: [{}], TaxRates: [{}] } }), {
    metadata: { tenantId: 'tenant-1' },
  })
  await provider.connector.write({ object: 'bankTransfers', type: 'delete', id: 'b1', record: {} })
  await provider.connector.write({ object: 'taxRates', type: 'update', id: 'TAX001', record: { Name: 'State Tax' } })
  expect(asked(provider.seen)).toEqual([
    'POST /api.xro/2.0/BankTransfers/b1 {"Status":"DELETED"}',
    'POST /api.xro/2.0/TaxRates {"TaxRates":[{"Name":"State Tax","TaxType":"TAX001"}]}',
  ])
})

it('journals are read from the number of the last one', async () => {
  await using provider = await open()
  const first = await provider.connector.readPage({ object: 'journals', fields: 'all' })
  const second = await provider.connector.readPage({ object: 'journals', fields: 'all', page: first.nextPage ?? '' })
  expect([first.records.length, second.records.length, second.nextPage]).toEqual([100, 20, undefined])
  expect(asked(provider.seen)).toEqual(['GET /api.xro/2.0/Journals', 'GET /api.xro/2.0/Journals?offset=100'])
})

it('contacts are created and changed in a list of one', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const created = await connector.write({ object: 'contacts', type: 'create', record: { Name: 'Ada' } })
  expect(created.recordId).toBe('c9')
  await connector.write({ object: 'contacts', type: 'update', id: 'c9', record: { Name: 'Bo' } })
  expect(asked(seen)).toEqual([
    'PUT /api.xro/2.0/Contacts {"Contacts":[{"Name":"Ada"}]}',
    'POST /api.xro/2.0/Contacts/c9 {"Contacts":[{"Name":"Bo","ContactID":"c9"}]}',
  ])
})

it('what Xero refuses is an error with its reasons', async () => {
  await using provider = await open()
  const refused = provider.connector.write({ object: 'contacts', type: 'create', record: { EmailAddress: 'a@b.c' } })
  await expect(refused).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'A validation exception occurred',
    errors: [{ message: 'The contact name must be specified.' }],
  })
})
