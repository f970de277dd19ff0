import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developers.activecampaign.com/reference shows, as far as the provider file relies on it. */

function activeCampaign({ method, url, headers, body }: SeenRequest): Answer {
  if (headers['api-token'] !== 'key') return { status: 403, body: { message: 'You are not authorized.' } }
  if (method === 'DELETE') return { body: {} }
  if (method !== 'GET') {
    const { contact } = JSON.parse(body) as { contact: { email?: string } }
    const errors = [
      { title: 'The email is required.', code: 'email_required', source: { pointer: '/data/attributes' } },
    ]
    return contact.email === undefined && method === 'POST'
      ? { status: 422, body: { errors } }
      : { status: method === 'POST' ? 201 : 200, body: { contact: { id: '9', ...contact } } }
  }
  const asks = url.searchParams
  const limit = Math.min(Number(asks.get('limit') ?? 20), 100)
  const all = Array.from({ length: 101 }, (_, at) => ({ id: String(at + 1), mdate: '2026-01-01T00:00:00-06:00' }))
  const left = all.filter(({ id }) => Number(id) > Number(asks.get('id_greater') ?? 0))
  const from = Number(asks.get('offset') ?? 0)
  const name = url.pathname.replace('/api/3/', '')
  return { body: { [name]: left.slice(from, from + limit), meta: { total: String(left.length) } } }
}

const open = () =>
  openProvider('activeCampaign', activeCampaign, {
    metadata: { workspace: 'acme' },
    credential: { scheme: 'apiKey', apiKey: 'key' },
  })

it('contacts and deals are read to the last page, those that changed', async () => {
  await using provider = await open()
  for (const object of ['contacts', 'deals']) {
    const request = { object, fields: ['email'], since: new Date('2026-01-01T05:00:00Z') }
    const first = await provider.connector.readPage(request)
    const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
    expect([first.records.length, second.records.map(({ id }) => id), second.nextPage]).toEqual([
      100,
      ['101'],
      undefined,
    ])
  }
  const fixed = 'limit=100&status=-1&orders[id]=ASC'
  expect(asked(provider.seen)).toEqual([
    `GET /api/3/contacts?${fixed}&filters[updated_after]=2025-12-31`,
    `GET /api/3/contacts?${fixed}&id_greater=100&filters[updated_after]=2025-12-31`,
    'GET /api/3/deals?limit=100&offset=0&orders[cdate]=ASC&filters[updated_after]=2025-12-31',
    'GET /api/3/deals?limit=100&offset=100&orders[cdate]=ASC&filters[updated_after]=2025-12-31',
  ])
})

it('contacts are written under their name', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const created = await connector.write({ object: 'contacts', type: 'create', record: { email: 'ada@example.com' } })
  expect(created.recordId).toBe('9')
  await connector.write({ object: 'contacts', type: 'update', id: '9', record: { firstName: 'Ada' } })
  await connector.write({ object: 'contacts', type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /api/3/contacts {"contact":{"email":"ada@example.com"}}',
    'PUT /api/3/contacts/9 {"contact":{"firstName":"Ada"}}',
    'DELETE /api/3/contacts/9',
  ])
  await expect(connector.write({ object: 'contacts', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'The email is required.',
  })
})

it('accounts are asked for with the numbers of their contacts and deals', async () => {
  await using provider = await open()
  await provider.connector.readPage({ object: 'accounts', fields: ['contactCount'] })
  expect(asked(provider.seen)).toEqual(['GET /api/3/accounts?limit=100&offset=0&count_deals=true'])
})
