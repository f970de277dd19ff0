import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What www.phoneburner.com/developer shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'oauth2', accessToken: 'token' } as const

function phoneBurner({ method, url }: SeenRequest): Answer {
  if (url.pathname === '/rest/1/customfields') {
    const customfields = [{ custom_field_id: '215', display_name: 'Lead Score', type_id: '7', type_name: 'Numeric' }]
    return { body: { http_status: 200, status: 'success', customfields: { customfields, page: 1, total_pages: 1 } } }
  }
  if (url.pathname === '/rest/1/members/9')
    return { body: { http_status: 404, status: 'error', errors: ['Member not found'] } }
  const contacts = { contact_user_id: '30919347', first_name: 'Johnny' }
  return { body: { http_status: method === 'POST' ? 201 : 200, status: 'success', contacts: { contacts } } }
}

it('contacts are written as forms, custom fields by their names', async () => {
  await using provider = await openProvider('phoneBurner', phoneBurner, { credential })
  const { connector } = provider
  const object = 'contacts'
  const created = await connector.write({ object, type: 'create', record: { first_name: 'Johnny', 'Lead Score': 42 } })
  expect(created).toMatchObject({ recordId: '30919347', data: { first_name: 'Johnny' } })
  await connector.write({ object, type: 'update', id: '30919347', record: { first_name: 'Johnny' } })
  const [, create, update] = asked(provider.seen)
  expect(create && decodeURIComponent(create)).toBe(
    'POST /rest/1/contacts first_name=Johnny&custom_fields[0][name]=Lead Score&custom_fields[0][type]=7&custom_fields[0][value]=42',
  )
  expect(update).toBe('PUT /rest/1/contacts/30919347 first_name=Johnny')
  expect(provider.seen[1]?.headers['content-type']).toMatch('application/x-www-form-urlencoded')
})

it('custom fields are read by their names', async () => {
  const record = { contact_user_id: '1', custom_fields: [{ name: 'Lead Score', type: '7', value: '42' }] }
  const contacts = { contacts: [record], page: 1, total_pages: 1 }
  const body = { http_status: 200, status: 'success', contacts }
  await using provider = await openProvider('phoneBurner', () => ({ body }), { credential })
  const page = await provider.connector.readPage({ object: 'contacts', fields: ['Lead Score'] })
  expect(page).toMatchObject({ records: [{ id: '1', fields: { 'lead score': '42' } }], nextPage: undefined })
})

it('an error with the status of success is an error', async () => {
  await using provider = await openProvider('phoneBurner', phoneBurner, { credential })
  const update = { object: 'members', type: 'update', id: '9', record: { first_name: 'johnny5' } } as const
  await expect(provider.connector.write(update)).rejects.toMatchObject({
    class: 'not_found',
    providerMessage: 'Member not found',
  })
})

it('archived contacts are read, too, and new ones come last', async () => {
  const body = { http_status: 200, status: 'success', contacts: { contacts: [], page: 1, total_pages: 1 } }
  await using provider = await openProvider('phoneBurner', () => ({ body }), { credential })
  const window = { since: new Date('2026-01-01T08:00:00Z'), until: new Date('2026-01-02T08:00:00Z') }
  await provider.connector.readPage({ object: 'contacts', fields: ['first_name'], ...window })
  expect(Object.fromEntries(provider.seen[0]?.url.searchParams ?? [])).toEqual({
    page_size: '100',
    page: '1',
    include_archived: '1',
    sort_order: 'ASC',
    updated_from: '2026-01-01 00:00:00',
    update_to: '2026-01-02 00:00:00',
    include_new: '1',
  })
})

it('a personal access token is a bearer token', async () => {
  const given = { credential: { scheme: 'apiKey', apiKey: 'pat' } } as const
  const body = { http_status: 200, status: 'success', tags: { tags: [], page: 1, total_pages: 1 } }
  await using provider = await openProvider('phoneBurner', () => ({ body }), given)
  await provider.connector.readPage({ object: 'tags', fields: ['title'] })
  expect(provider.seen[0]?.headers.authorization).toBe('Bearer pat')
})
