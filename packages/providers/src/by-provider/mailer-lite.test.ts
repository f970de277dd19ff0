import { expect, it } from 'vitest'
import type { Connector } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

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
    const status = asks.get('filter[status]') ?? 'active'
    if (status === 'junk') return { body: { data: [{ id: '4', status }], meta: { next_cursor: null } } }
    if (status !== 'active') return { body: { data: [], meta: { next_cursor: null } } }
    const from = Number(asks.get('cursor') ?? 0)
    const next_cursor = from + limit < 3 ? String(from + limit) : null
    return { body: { data: all.slice(from, from + limit), meta: { per_page: limit, next_cursor, prev_cursor: null } } }
  }
  if (url.pathname === '/api/campaigns') {
    const status = asks.get('filter[status]') ?? 'ready'
    return { body: { data: [{ id: status, status }], meta: { current_page: 1, last_page: 1, total: 1 } } }
  }
  const page = Number(asks.get('page') ?? 1)
  const meta = { current_page: page, last_page: Math.ceil(3 / limit), per_page: limit, total: 3 }
  return { body: { data: all.slice((page - 1) * limit, page * limit), meta } }
}

const open = () => openProvider('mailerLite', mailerLite, { credential: { scheme: 'apiKey', apiKey: 'key' } })

const idsOf = async (connector: Connector, object: string, more: object = {}) =>
  (await readAll(connector, { object, fields: ['email'], ...more })).map(({ id }) => id)

it('groups, and subscribers of every status, are read to the last page', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  expect(await idsOf(connector, 'groups', { pageSize: 2 })).toEqual(['1', '2', '3'])
  expect(await idsOf(connector, 'subscribers')).toEqual(['1', '2', '3', '4'])
  expect(asked(seen).slice(0, 4)).toEqual([
    'GET /api/groups?limit=2&page=1',
    'GET /api/groups?limit=2&page=2',
    'GET /api/subscribers?limit=100&filter[status]=active',
    'GET /api/subscribers?limit=100&filter[status]=bounced',
  ])
})

it('campaigns of every status are read', async () => {
  await using provider = await open()
  expect(await idsOf(provider.connector, 'campaigns')).toEqual(['draft', 'ready', 'sent'])
})

it('subscribers that changed are found among all of them', async () => {
  await using provider = await open()
  const since = new Date('2026-01-02T00:00:00Z')
  expect(await idsOf(provider.connector, 'subscribers', { since })).toEqual(['2', '3', '4'])
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
