import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.sage.com/accounting shows, as far as the provider file relies on it. */

function sage({ method, url, body }: SeenRequest): Answer {
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const { contact } = JSON.parse(body) as { contact: { contact_type_ids?: string[] } }
    const missing = { $severity: 'error', $dataCode: 'RecordInvalid', $message: 'blank', $source: 'contact_type_ids' }
    return contact.contact_type_ids === undefined && method === 'POST'
      ? { status: 422, body: [missing] }
      : { status: method === 'POST' ? 201 : 200, body: { id: 'c9', ...contact } }
  }
  if (url.pathname.endsWith('/c1')) return { body: { id: 'c1', displayed_as: 'c1' } }
  const size = Number(url.searchParams.get('items_per_page') ?? 20)
  const page = Number(url.searchParams.get('page') ?? 1)
  if (size > 200 || url.searchParams.get('attributes') !== 'all') return { status: 400 }
  const all = ['c1', 'c2', 'c3', 'c4'].map((id) => ({ id, displayed_as: id }))
  // Behind the last page, Sage sends the last one again.
  const last = Math.min(page, all.length / size)
  const $items = all.slice((last - 1) * size, last * size)
  const $next = last * size < all.length ? `/contacts?page=${last + 1}&items_per_page=${size}` : null
  return { body: { $total: all.length, $page: page, $next, $back: null, $itemsPerPage: size, $items } }
}

it('contacts are read to the last page, those that changed', async () => {
  await using provider = await openProvider('sage', sage)
  const request = { object: 'contacts', fields: ['name'], pageSize: 2, since: new Date('2026-01-01T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['c1', 'c2', 'c3', 'c4'])
  expect([first.total, second.nextPage]).toEqual([4, undefined])
  const window = 'attributes=all&updated_or_created_since=2025-12-31T23:59:59Z'
  expect(asked(provider.seen)).toEqual([
    `GET /v3.1/contacts?items_per_page=2&${window}`,
    `GET /v3.1/contacts?items_per_page=2&page=2&${window}`,
  ])
})

it('deleted contacts are listed after those that changed', async () => {
  await using provider = await openProvider('sage', sage)
  const since = new Date('2026-01-01T00:00:00Z')
  const { records } = await provider.connector.readPage({ object: 'contacts', fields: [], since, deletions: true })
  expect(records.map(({ deleted }) => deleted === true)).toEqual([
    ...Array<boolean>(4).fill(false),
    ...Array<boolean>(4).fill(true),
  ])
  expect(asked(provider.seen)).toEqual([
    'GET /v3.1/contacts?items_per_page=200&attributes=all&updated_or_created_since=2025-12-31T23:59:59Z',
    'GET /v3.1/contacts?items_per_page=200&attributes=all&deleted_since=2025-12-31T23:59:59Z',
  ])
})

it('contacts are written under their name', async () => {
  await using provider = await openProvider('sage', sage)
  const { connector, seen } = provider
  const record = { name: 'Ada', contact_type_ids: ['CUSTOMER'] }
  expect((await connector.write({ object: 'contacts', type: 'create', record })).recordId).toBe('c9')
  await connector.write({ object: 'contacts', type: 'update', id: 'c9', record: { name: 'Bo' } })
  await connector.write({ object: 'contacts', type: 'delete', id: 'c9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /v3.1/contacts {"contact":{"name":"Ada","contact_type_ids":["CUSTOMER"]}}',
    'PUT /v3.1/contacts/c9 {"contact":{"name":"Bo"}}',
    'DELETE /v3.1/contacts/c9',
  ])
})

it('what Sage refuses is an error with its reason', async () => {
  await using provider = await openProvider('sage', sage)
  const refused = provider.connector.write({ object: 'contacts', type: 'create', record: { name: 'Ada' } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'blank' })
})

it.each([
  ...['addresses', 'bank_accounts', 'bank_transfers', 'contact_payments', 'contact_persons', 'contacts', 'products'],
  ...['purchase_credit_notes', 'purchase_invoices', 'sales_credit_notes', 'sales_invoices', 'services', 'stock_items'],
  'other_payments',
])('deleted %s are listed', async (object) => {
  await using provider = await openProvider('sage', sage)
  expect(provider.connector.reportsDeletions(object)).toBe(true)
  const since = new Date('2026-01-01T00:00:00Z')
  await provider.connector.readPage({ object, fields: [], since, deletions: true })
  expect(asked(provider.seen).at(-1)).toMatch(`/v3.1/${object}?`)
  expect(provider.seen.at(-1)?.url.searchParams.get('deleted_since')).toBe('2025-12-31T23:59:59Z')
})

it.each(['sales_invoices', 'sales_credit_notes'])(
  'a request for one of %s does not mark it as sent',
  async (object) => {
    await using provider = await openProvider('sage', sage)
    await provider.connector.fetchRecord(object, 'c1', 'all')
    expect(asked(provider.seen)).toEqual([`GET /v3.1/${object}/c1?mark_as_sent=false`])
  },
)

it('tax rates that changed are requested', async () => {
  await using provider = await openProvider('sage', sage)
  const since = new Date('2026-01-01T00:00:00Z')
  await provider.connector.readPage({ object: 'tax_rates', fields: [], since })
  expect(provider.seen[0]?.url.searchParams.get('updated_or_created_since')).toBe('2025-12-31T23:59:59Z')
})

it('the business that the customer named is read and written, and otherwise the lead business', async () => {
  await using named = await openProvider('sage', sage, { metadata: { businessId: 'b1' } })
  await named.connector.readPage({ object: 'contacts', fields: [] })
  await named.connector.fetchRecord('contacts', 'c1', 'all')
  await named.connector.write({ object: 'contacts', type: 'update', id: 'c1', record: { name: 'Bo' } })
  expect(named.seen.map(({ headers }) => headers['x-business'])).toEqual(['b1', 'b1', 'b1'])
  await using lead = await openProvider('sage', sage)
  await lead.connector.readPage({ object: 'contacts', fields: [] })
  expect(lead.seen[0]?.headers).not.toHaveProperty('x-business')
  expect(lead.entry.authentication[0]).toMatchObject({ authUrlParams: { filter: 'apiv3.1' } })
})

it('bank accounts, transfers and payments are deleted, and no business gets more than its requests', async () => {
  await using provider = await openProvider('sage', sage)
  const objects = ['bank_accounts', 'bank_transfers', 'contact_payments', 'other_payments']
  for (const object of objects) await provider.connector.write({ object, type: 'delete', id: 'p1', record: {} })
  expect(asked(provider.seen)).toEqual(objects.map((object) => `DELETE /v3.1/${object}/p1`))
  expect(provider.entry.rateLimits).toMatchObject([{ requests: 100, perSeconds: 60, per: 'connection' }])
})
