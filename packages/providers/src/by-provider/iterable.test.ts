import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What api.iterable.com/api/docs says of the list of templates, as far as the provider file relies on it. */

/** A page has twenty templates unless the request says otherwise. */
function iterable({ url }: SeenRequest): Answer {
  if (url.pathname !== '/api/templates') return { status: 404 }
  const size = Math.min(Number(url.searchParams.get('pageSize') ?? 20), 1000)
  const page = Number(url.searchParams.get('page') ?? 1)
  const all = Array.from({ length: 1001 }, (_, at) => ({ templateId: at + 1, name: `Template ${at + 1}` }))
  const hasNext = page * size < all.length
  return {
    body: {
      templates: all.slice((page - 1) * size, page * size),
      totalTemplatesCount: all.length,
      ...(hasNext && { nextPageUrl: `/api/templates?pageSize=${size}&page=${page + 1}` }),
    },
  }
}

it('templates are read to the last page', async () => {
  await using provider = await openProvider('iterable', iterable, { credential: { scheme: 'apiKey', apiKey: 'key' } })
  const records = await readAll(provider.connector, { object: 'templates', fields: ['name'] })
  expect(new Set(records.map(({ id }) => id)).size).toBe(1001)
  expect(asked(provider.seen)).toEqual(['GET /api/templates?pageSize=1000', 'GET /api/templates?pageSize=1000&page=2'])
})

it('journeys are read fifty at a time, and archived ones, too', async () => {
  const answer = ({ url }: SeenRequest): Answer =>
    Number(url.searchParams.get('pageSize')) > 50
      ? { status: 400, body: { msg: 'pageSize must be at most 50' } }
      : {
          body: {
            journeys: [{ id: `${url.searchParams.get('state') ?? 'live'}-${url.searchParams.get('page') ?? '1'}` }],
            totalJourneysCount: 2,
            ...(!url.searchParams.has('page') && { nextPageUrl: '/api/journeys?pageSize=50&page=2' }),
          },
        }
  await using provider = await openProvider('iterable', answer, { credential: { scheme: 'apiKey', apiKey: 'key' } })
  const records = await readAll(provider.connector, { object: 'journeys', fields: ['name'] })
  // The link to the next page lacks the state.
  expect(records.map(({ id }) => id)).toEqual(['live-1', 'live-2', 'Archived-1', 'Archived-2'])
})

it('one campaign is read by its id', async () => {
  const answer = ({ url }: SeenRequest): Answer =>
    url.pathname === '/api/campaigns/7' ? { body: { id: 7, name: 'Spring' } } : { status: 404, body: { msg: 'No.' } }
  await using provider = await openProvider('iterable', answer, { credential: { scheme: 'apiKey', apiKey: 'key' } })
  expect(await provider.connector.fetchRecord('campaigns', '7', ['name'])).toMatchObject({ fields: { name: 'Spring' } })
  expect(await provider.connector.fetchRecord('campaigns', '8', ['name'])).toBeUndefined()
})

/** Users by the time of their change. An export without users is empty. */
function exported({ url }: SeenRequest): Answer {
  const asks = Object.fromEntries(url.searchParams)
  if (url.pathname === '/api/users/a%40example.com')
    return { body: { user: { email: 'a@example.com', dataFields: { firstName: 'Ada' } } } }
  if (url.pathname !== '/api/export/data.json' || asks['dataTypeName'] !== 'user') return { status: 404 }
  const users = [
    { email: 'a@example.com', firstName: 'Ada', profileUpdatedAt: '2026-01-02 00:00:00 +00:00' },
    { email: 'b@example.com', firstName: 'Bob', profileUpdatedAt: '2026-02-03 00:00:00 +00:00' },
  ]
  const { startDateTime = '', endDateTime = '' } = asks
  const found = users.filter((user) => user.profileUpdatedAt >= startDateTime && user.profileUpdatedAt < endDateTime)
  return {
    headers: { 'content-type': 'application/x-json-stream' },
    body: found.map((user) => `${JSON.stringify(user)}\n`).join(''),
  }
}

it('users are exported by the time of their change, 30 days at a time', async () => {
  await using provider = await openProvider('iterable', exported, { credential: { scheme: 'apiKey', apiKey: 'key' } })
  const { connector, seen } = provider
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-03-15T00:00:00Z') }
  const records = await readAll(connector, { object: 'users', fields: ['firstName'], ...window })
  expect(records).toMatchObject([
    { id: 'a@example.com', fields: { firstname: 'Ada' } },
    { id: 'b@example.com', fields: { firstname: 'Bob' } },
  ])
  expect(seen.map(({ url }) => [url.searchParams.get('startDateTime'), url.searchParams.get('endDateTime')])).toEqual([
    ['2025-12-31 23:59:00 +00:00', '2026-01-30 23:58:59 +00:00'],
    ['2026-01-30 23:58:59 +00:00', '2026-03-01 23:58:58 +00:00'],
    ['2026-03-01 23:58:58 +00:00', '2026-03-15 00:00:00 +00:00'],
  ])
  expect(seen[0]?.headers['accept']).toBe('application/x-json-stream')
  const one = await connector.fetchRecord('users', 'a@example.com', ['firstName'])
  expect(one).toMatchObject({ id: 'a@example.com', fields: { firstname: 'Ada' } })
})

/** A hybrid project: a user has an email, a userId, or both. */
const hybrid = [
  { email: 'a@example.com', itblUserId: 'i1', profileUpdatedAt: '2026-01-02 00:00:00 +00:00' },
  { userId: 'u/2', itblUserId: 'i2', profileUpdatedAt: '2026-01-03 00:00:00 +00:00' },
  { email: 'c@example.com', userId: 'u3', itblUserId: 'i3', profileUpdatedAt: '2026-01-04 00:00:00 +00:00' },
]

function users({ method, url, body }: SeenRequest): Answer {
  const { pathname } = url
  if (pathname === '/api/export/data.json') return { body: hybrid.map((user) => `${JSON.stringify(user)}\n`).join('') }
  if (pathname === '/api/users/update' && method === 'POST') {
    const asks = JSON.parse(body) as Record<string, unknown>
    const found = hybrid.some(({ userId }) => userId !== undefined && userId === asks['userId'])
    return found ? { body: { code: 'Success' } } : { status: 400, body: { msg: 'No.', code: 'BadParams' } }
  }
  if (pathname !== '/api/users/byUserId/u%2F2') return { status: 404 }
  return {
    body: method === 'DELETE' ? { code: 'Success' } : { user: { userId: 'u/2', dataFields: { firstName: 'Bo' } } },
  }
}

it('users without an email are read, looked up and written by their userId', async () => {
  await using provider = await openProvider('iterable', users, { credential: { scheme: 'apiKey', apiKey: 'key' } })
  const { connector } = provider
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-15T00:00:00Z') }
  const idsOf = async (object: string) =>
    (await readAll(connector, { object, fields: ['profileUpdatedAt'], ...window })).map(({ id }) => id)
  expect(await idsOf('usersByUserId')).toEqual(['u/2', 'u3'])
  expect(await idsOf('users')).toEqual(['a@example.com', 'c@example.com'])
  const one = await connector.fetchRecord('usersByUserId', 'u/2', ['firstName'])
  expect(one).toMatchObject({ id: 'u/2', fields: { firstname: 'Bo' } })
  const write = { object: 'usersByUserId', id: 'u/2' } as const
  await connector.write({ ...write, type: 'update', record: { dataFields: { firstName: 'Bob' } } })
  await connector.write({ ...write, type: 'delete', record: {} })
  expect(asked(provider.seen).slice(-2)).toEqual([
    'POST /api/users/update {"dataFields":{"firstName":"Bob"},"userId":"u/2"}',
    'DELETE /api/users/byUserId/u%2F2',
  ])
})
