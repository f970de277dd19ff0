import { expect, it } from 'vitest'
import { proxyBase } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What zoho.com/books/api/v3 shows as answers, as far as the provider file relies on it. */

const contact = (contact_id: string, last_modified_time: string) => ({
  contact_id,
  contact_name: `Contact ${contact_id}`,
  last_modified_time,
})

function zohoBooks({ method, url, headers, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (headers['authorization'] !== 'Zoho-oauthtoken t1') return { status: 401, body: { code: 57, message: 'No.' } }
  if (searchParams.get('organization_id') !== '10234695')
    return { status: 400, body: { code: 6041, message: 'This user is not associated with the CompanyID.' } }
  const path = pathname.replace('/books/v3', '')
  if (method === 'GET' && path === '/contacts') {
    if (Number(searchParams.get('per_page')) > 200) return { status: 400, body: { code: 15, message: 'per_page' } }
    const last = searchParams.get('page') === '2'
    const contacts = [last ? contact('2', '2026-01-02T10:00:00+0530') : contact('1', '2026-01-01T10:00:00+0530')]
    return { body: { code: 0, message: 'success', contacts, page_context: { has_more_page: !last } } }
  }
  if (method === 'DELETE') return { body: { code: 0, message: 'The contact has been deleted.' } }
  const sent = JSON.parse(body) as { contact_name?: string }
  if (sent.contact_name === undefined)
    return { status: 400, body: { code: 4, message: 'Invalid value passed for contact_name' } }
  return { body: { code: 0, message: 'The contact has been saved.', contact: { ...contact('3', ''), ...sent } } }
}

const options = { metadata: { organizationId: '10234695' } }

async function idsOf(since?: Date) {
  await using provider = await openProvider('zohoBooks', zohoBooks, options)
  const more = { ...(since && { since }) }
  const ids = (await readAll(provider.connector, { object: 'contacts', fields: ['contact_name'], ...more })).map(
    ({ id }) => id,
  )
  return { ids, requests: asked(provider.seen) }
}

it('contacts are read to the last page, in the order of their creation', async () => {
  const { ids, requests } = await idsOf()
  expect(ids).toEqual(['1', '2'])
  expect(requests).toEqual(
    ['1', '2'].map(
      (page) =>
        `GET /books/v3/contacts?organization_id=10234695&page=${page}&per_page=200&sort_column=created_time&sort_order=A&filter_by=Status.All`,
    ),
  )
})

it('contacts that did not change are left out of a window', async () => {
  expect((await idsOf(new Date('2026-01-01T04:30:01Z'))).ids).toEqual(['2'])
  expect((await idsOf(new Date('2026-01-01T04:30:00Z'))).ids).toEqual(['1', '2'])
})

it('contacts are created, changed and deleted; a refusal says why', async () => {
  await using provider = await openProvider('zohoBooks', zohoBooks, options)
  const { connector, seen } = provider
  const record = { contact_name: 'Ada' }
  expect(await connector.write({ object: 'contacts', type: 'create', record })).toMatchObject({ recordId: '3' })
  await connector.write({ object: 'contacts', type: 'update', id: '3', record })
  await connector.write({ object: 'contacts', type: 'delete', id: '3', record: {} })
  expect(asked(seen)).toEqual([
    'POST /books/v3/contacts?organization_id=10234695 {"contact_name":"Ada"}',
    'PUT /books/v3/contacts/3?organization_id=10234695 {"contact_name":"Ada"}',
    'DELETE /books/v3/contacts/3?organization_id=10234695',
  ])
  const refused = connector.write({ object: 'contacts', type: 'create', record: {} })
  await expect(refused).rejects.toMatchObject({ providerMessage: 'Invalid value passed for contact_name' })
})

it.each([
  ['bankaccounts', 'Status.All'],
  ['chartofaccounts', 'AccountType.All'],
  ['contacts', 'Status.All'],
  ['items', 'Status.All'],
  ['projects', 'Status.All'],
])('%s that are inactive are read', async (object, filter) => {
  const empty = { body: { code: 0, [object]: [], page_context: { has_more_page: false } } }
  await using provider = await openProvider('zohoBooks', () => empty, options)
  await provider.connector.readPage({ object, fields: [] })
  expect(provider.seen[0]?.url.searchParams.get('filter_by')).toBe(filter)
})

it.each(['bills', 'invoices', 'purchaseorders'])('%s that changed are requested from the day on', async (object) => {
  const records = ['2026-01-02T09:59:59+0000', '2026-01-02T10:00:00+0000'].map((last_modified_time, index) => ({
    [object === 'purchaseorders' ? 'purchaseorder_id' : `${object.slice(0, -1)}_id`]: String(index),
    last_modified_time,
  }))
  const page = { body: { code: 0, [object]: records, page_context: { has_more_page: false } } }
  await using provider = await openProvider('zohoBooks', () => page, options)
  const read = await provider.connector.readPage({ object, fields: [], since: new Date('2026-01-02T10:00:00Z') })
  expect(read.records.map(({ id }) => id)).toEqual(['1'])
  expect(provider.seen[0]?.url.searchParams.get('last_modified_time')).toBe('2026-01-02T00:00:00+0000')
  await provider.connector.readPage({ object, fields: [] })
  expect(provider.seen[1]?.url.searchParams.has('last_modified_time')).toBe(false)
})

it('an account of another data center is reached at its host', async () => {
  const metadata = { ...options.metadata, apiHost: 'www.zohoapis.eu' }
  await using provider = await openProvider('zohoBooks', zohoBooks, { metadata })
  await provider.connector.readPage({ object: 'contacts', fields: [] })
  expect(provider.entry.authentication[0]).toMatchObject({ tokenUrl: 'https://{{accountsHost}}/oauth/v2/token' })
  expect(proxyBase(provider.entry, { metadata }).origin).toBe('https://www.zohoapis.eu')
})
