import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider } from './testing/open-provider.testkit.ts'

/** What zoho.com/books/api/v3 shows, as far as the provider file relies on it. */

const times = ['2026-01-01T02:31:58-0500', '2026-01-02T02:31:58-0500', '2026-01-03T02:31:58-0500']

function zohoBooks({ method, url, headers, body }: SeenRequest): Answer {
  if (headers['authorization'] !== 'Zoho-oauthtoken t1') return { status: 401, body: { code: 57, message: 'No' } }
  if (url.searchParams.get('organization_id') !== '10')
    return { status: 400, body: { code: 6041, message: 'This user is not associated with the CompanyID.' } }
  if (method === 'DELETE') return { body: { code: 0, message: 'The contact has been deleted.' } }
  if (method !== 'GET') {
    const given = JSON.parse(body) as { contact_name?: string }
    return given.contact_name === undefined && method === 'POST'
      ? { status: 400, body: { code: 15, message: 'Please enter the contact name.' } }
      : { body: { code: 0, message: 'Saved.', contact: { contact_id: '9', ...given } } }
  }
  const size = Number(url.searchParams.get('per_page') ?? 200)
  const page = Number(url.searchParams.get('page') ?? 1)
  if (size > 200) return { status: 400, body: { code: 2, message: 'Invalid value passed for per_page' } }
  const all = times.map((last_modified_time, at) => ({ contact_id: String(at + 1), last_modified_time }))
  const page_context = { page, per_page: size, has_more_page: page * size < 3 }
  return { body: { code: 0, message: 'success', contacts: all.slice((page - 1) * size, page * size), page_context } }
}

const open = () => openProvider('zohoBooks', zohoBooks, { metadata: { organizationId: '10' } })

it('contacts are read to the last page, those that changed', async () => {
  await using provider = await open()
  const request = { object: 'contacts', fields: 'all', pageSize: 2, since: new Date('2026-01-02T07:31:58Z') } as const
  const first = await provider.connector.readPage(request)
  const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['2', '3'])
  expect(second.nextPage).toBeUndefined()
  expect(asked(provider.seen)).toEqual([
    'GET /books/v3/contacts?organization_id=10&page=1&per_page=2&sort_column=created_time&sort_order=A',
    'GET /books/v3/contacts?organization_id=10&page=2&per_page=2&sort_column=created_time&sort_order=A',
  ])
})

it('contacts are written in the organization', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const created = await connector.write({ object: 'contacts', type: 'create', record: { contact_name: 'Ada' } })
  expect(created.recordId).toBe('9')
  await connector.write({ object: 'contacts', type: 'update', id: '9', record: { contact_name: 'Bo' } })
  await connector.write({ object: 'contacts', type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /books/v3/contacts?organization_id=10 {"contact_name":"Ada"}',
    'PUT /books/v3/contacts/9?organization_id=10 {"contact_name":"Bo"}',
    'DELETE /books/v3/contacts/9?organization_id=10',
  ])
  await expect(connector.write({ object: 'contacts', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'Please enter the contact name.',
  })
})
