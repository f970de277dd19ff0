import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What dev.frontapp.com/reference shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'apiKey', apiKey: 'k1' } as const

function front({ method, url }: SeenRequest): Answer {
  if (method !== 'GET') return method === 'POST' ? { status: 201, body: { id: 'crd_9' } } : { status: 204 }
  if (url.pathname !== '/contacts') {
    const details = ['limit: should be at most 100']
    return { status: 400, body: { _error: { status: 400, title: 'Bad request', message: 'Bad parameters', details } } }
  }
  const isLast = url.searchParams.has('page_token')
  const next = isLast ? null : 'https://acme.api.frontapp.com/contacts?limit=100&page_token=e0b5%2B7'
  const record = { id: isLast ? 'crd_2' : 'crd_1', name: 'Ada' }
  return { body: { _pagination: { next }, _results: [record] } }
}

it('contacts are read page by page, on the declared host, and only what changed in a window', async () => {
  await using provider = await openProvider('front', front, { credential })
  const since = new Date('2026-01-01T00:00:00Z')
  const request = { object: 'contacts', fields: ['name'], since, until: new Date('2026-01-02T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect([...first.records, ...last.records].map(({ id }) => id)).toEqual(['crd_1', 'crd_2'])
  expect(last.nextPage).toBeUndefined()
  const window = 'q[updated_after]=1767225599&q[updated_before]=1767312000'
  expect(asked(provider.seen)).toEqual([
    `GET /contacts?limit=100&${window}`,
    `GET /contacts?limit=100&page_token=e0b5+7&${window}`,
  ])
})

it('contacts are made, changed and deleted; what is wrong is told', async () => {
  await using provider = await openProvider('front', front, { credential })
  const { connector } = provider
  const object = 'contacts'
  expect(await connector.write({ object, type: 'create', record: { name: 'Ada' } })).toMatchObject({
    recordId: 'crd_9',
  })
  const changed = await connector.write({ object, type: 'update', id: 'crd_1', record: { name: 'Bob' } })
  expect(changed).toMatchObject({ recordId: 'crd_1' })
  await connector.write({ object, type: 'delete', id: 'crd_1', record: {} })
  expect(asked(provider.seen)).toEqual([
    'POST /contacts {"name":"Ada"}',
    'PATCH /contacts/crd_1 {"name":"Bob"}',
    'DELETE /contacts/crd_1',
  ])
  await expect(connector.readPage({ object: 'tags', fields: 'all' })).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'Bad parameters',
    errors: [{ message: 'limit: should be at most 100' }],
  })
})

it('apps of partners use OAuth, and the account of an event is the company', async () => {
  await using provider = await openProvider('front', front, { credential })
  expect(provider.entry.authentication).toMatchObject([
    { scheme: 'apiKey' },
    { scheme: 'oauth2', tokenUrl: 'https://app.frontapp.com/oauth/token' },
  ])
  expect(provider.entry.postAuthentication).toMatchObject([{ name: 'companyId' }])
})

it('the statuses of tickets are one list', async () => {
  await using provider = await openProvider('front', () => ({ body: { _results: [{ id: 'sts_1' }] } }), { credential })
  const statuses = await readAll(provider.connector, { object: 'company_statuses', fields: [] })
  expect(statuses.map(({ id }) => id)).toEqual(['sts_1'])
  expect(asked(provider.seen)).toEqual(['GET /company/statuses'])
})

it('pages of events have 15 at most, also where they name new messages', async () => {
  await using provider = await openProvider('front', () => ({ body: { _results: [] } }), { credential })
  const since = new Date('2026-01-01T00:00:00Z')
  for (const object of ['events', 'messages']) await readAll(provider.connector, { object, fields: [], since })
  expect(provider.seen.map(({ url }) => [url.pathname, url.searchParams.get('limit')])).toEqual([
    ['/events', '15'],
    ['/events', '15'],
  ])
})
