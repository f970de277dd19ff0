import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developers.brevo.com/reference shows, as far as the provider file relies on it. */

const limits: Record<string, number> = {
  '/v3/contacts': 1000,
  '/v3/contacts/lists': 50,
  '/v3/companies': 50,
  '/v3/products': 1000,
}

function brevo({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'PUT' || method === 'DELETE') return { status: 204 }
  if (method === 'POST') {
    const { email } = JSON.parse(body) as { email?: string }
    return email === undefined
      ? { status: 400, body: { code: 'missing_parameter', message: 'email is missing' } }
      : { status: 201, body: { id: 9 } }
  }
  const limit = Number(searchParams.get('limit'))
  if (!(limit <= (limits[pathname] ?? 0)))
    return { status: 400, body: { code: 'out_of_range', message: 'Limit exceeds max value' } }
  const from =
    pathname === '/v3/companies' ? (Number(searchParams.get('page')) - 1) * limit : searchParams.get('offset')
  if (pathname === '/v3/products') {
    const products = [
      { id: 'p1', isDeleted: false },
      { id: 'p2', isDeleted: true },
    ]
    return { body: { products, count: 2 } }
  }
  const all = Array.from({ length: limit + 1 }, (_, at) => ({ id: at + 1 }))
  const name =
    { '/v3/contacts': 'contacts', '/v3/contacts/lists': 'lists', '/v3/companies': 'items', '/v3/products': 'products' }[
      pathname
    ] ?? ''
  return { body: { [name]: all.slice(Number(from), Number(from) + limit), count: all.length } }
}

const open = () => openProvider('brevo', brevo, { credential: { scheme: 'apiKey', apiKey: 'key' } })

it('contacts, lists and companies are read to the last page', async () => {
  await using provider = await open()
  const since = new Date('2026-01-01T00:00:00Z')
  for (const object of ['contacts', 'lists', 'companies']) {
    const request = { object, fields: ['email'], since }
    const first = await provider.connector.readPage(request)
    const second = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
    const size = object === 'contacts' ? 1000 : 50
    expect([first.records.length, second.records.length, second.nextPage]).toEqual([size, 1, undefined])
    expect(second.records[0]?.id).toBe(String(size + 1))
  }
  expect(asked(provider.seen).filter((_, index) => index % 2 === 1)).toEqual([
    'GET /v3/contacts?limit=1000&offset=1000&sort=asc&modifiedSince=2025-12-31T23:59:59.999Z',
    'GET /v3/contacts/lists?limit=50&offset=50&sort=asc',
    'GET /v3/companies?limit=50&sort=asc&page=2&modifiedSince=2025-12-31T23:59:59.999Z',
  ])
})

it('products that the shop deleted are deletions', async () => {
  await using provider = await open()
  const since = new Date('2026-01-01T00:00:00Z')
  const { records } = await provider.connector.readPage({
    object: 'products',
    fields: ['name'],
    since,
    deletions: true,
  })
  expect(records.map(({ id, deleted }) => [id, deleted])).toEqual([
    ['p1', undefined],
    ['p2', true],
  ])
})

it('contacts are written', async () => {
  await using provider = await open()
  const { connector, seen } = provider
  const record = { email: 'ada@example.com', attributes: { FIRSTNAME: 'Ada' } }
  expect((await connector.write({ object: 'contacts', type: 'create', record })).recordId).toBe('9')
  const update = { object: 'contacts', type: 'update', id: '9', record: { attributes: { FIRSTNAME: 'Bo' } } } as const
  expect((await connector.write(update)).recordId).toBe('9')
  await connector.write({ object: 'contacts', type: 'delete', id: '9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /v3/contacts {"email":"ada@example.com","attributes":{"FIRSTNAME":"Ada"}}',
    'PUT /v3/contacts/9 {"attributes":{"FIRSTNAME":"Bo"}}',
    'DELETE /v3/contacts/9',
  ])
})

it('what Brevo refuses is an error with its reason', async () => {
  await using provider = await open()
  const refused = provider.connector.write({ object: 'contacts', type: 'create', record: {} })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'email is missing' })
})
