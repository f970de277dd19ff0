import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider } from './testing/open-provider.testkit.ts'

/** What developers.mailerlite.com/docs shows, as far as the provider file relies on it. */

function mailerLite({ method, url, body }: SeenRequest): Answer {
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const given = JSON.parse(body) as { email?: string }
    const errors = { email: ['The email must be a valid email address.'] }
    return given.email === undefined && method === 'POST'
      ? { status: 422, body: { message: 'The given data was invalid.', errors } }
      : { status: method === 'POST' ? 201 : 200, body: { data: { id: '9', ...given } } }
  }
  const asks = url.searchParams
  const limit = Number(asks.get('limit') ?? 25)
  const all = ['1', '2', '3'].map((id) => ({ id, updated_at: `2026-01-0${id} 00:00:00` }))
  if (url.pathname === '/api/subscribers') {
    const from = Number(asks.get('cursor') ?? 0)
    const next_cursor = from + limit < 3 ? String(from + limit) : null
    return { body: { data: all.slice(from, from + limit), meta: { per_page: limit, next_cursor, prev_cursor: null } } }
  }
  const page = Number(asks.get('page') ?? 1)
  const meta = { current_page: page, last_page: Math.ceil(3 / limit), per_page: limit, total: 3 }
  return { body: { data: all.slice((page - 1) * limit, page * limit), meta } }
}

const open = () => openProvider('mailerLite', mailerLite, { credential: { scheme: 'apiKey', apiKey: 'key' } })

it('subscribers and groups are read to the last page', async () => {
  await using provider = await open()
  for (const object of ['subscribers', 'groups']) {
    const request = { object, fields: ['email'], pageSize: 2 }
    const first = await provider.connector.readPage(request)
    const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
    expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['1', '2', '3'])
    expect(second.nextPage).toBeUndefined()
  }
  expect(asked(provider.seen)).toEqual([
    'GET /api/subscribers?limit=2',
    'GET /api/subscribers?limit=2&cursor=2',
    'GET /api/groups?limit=2&page=1',
    'GET /api/groups?limit=2&page=2',
  ])
})

it('subscribers that changed are found among all of them', async () => {
  await using provider = await open()
  const since = new Date('2026-01-02T00:00:00Z')
  const { records } = await provider.connector.readPage({ object: 'subscribers', fields: ['email'], since })
  expect(records.map(({ id }) => id)).toEqual(['2', '3'])
})

it('subscribers are written', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const record = { email: 'ada@example.com', fields: { name: 'Ada' } }
  expect((await connector.write({ object: 'subscribers', type: 'create', record })).recordId).toBe('9')
  await connector.write({ object: 'subscribers', type: 'update', id: '9', record: { status: 'unsubscribed' } })
  await connector.write({ object: 'subscribers', type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /api/subscribers {"email":"ada@example.com","fields":{"name":"Ada"}}',
    'PUT /api/subscribers/9 {"status":"unsubscribed"}',
    'DELETE /api/subscribers/9',
  ])
  await expect(connector.write({ object: 'subscribers', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'The given data was invalid.',
    errors: [{ message: expect.stringContaining('The email must be a valid email address.') }],
  })
})
