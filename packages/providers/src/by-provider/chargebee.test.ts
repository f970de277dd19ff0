import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What apidocs.chargebee.com shows as responses, as far as the provider file relies on it. */

const connection = { metadata: { workspace: 'acme' } }

function chargebee({ method, url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (pathname === '/api/v2/customers/c9')
    return { status: 404, body: { message: 'c9 not found', type: 'invalid_request' } }
  if (pathname === '/api/v2/customers/c1/subscription_for_items')
    return { body: { subscription: { id: 's1' }, customer: {} } }
  if (method === 'POST') return { body: { customer: { id: 'c1', deleted: pathname.endsWith('/delete') } } }
  if (pathname === '/api/v2/customers/c1/contacts') return { body: { list: [{ contact: { id: 'p1' } }] } }
  const isLast = searchParams.get('offset') === '["2"]'
  const list = [{ customer: { id: isLast ? 'c2' : 'c1', email: 'a@example.com' } }]
  return { body: { list, ...(!isLast && { next_offset: '["2"]' }) } }
}

it('customers are read page by page, without deleted ones, in a window', async () => {
  await using provider = await openProvider('chargebee', chargebee, connection)
  const request = { object: 'customers', fields: ['email'], since: new Date('2026-01-01T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [{ id: 'c2', fields: { email: 'a@example.com' } }], nextPage: undefined })
  expect(asked(provider.seen)).toEqual([
    'GET /api/v2/customers?limit=100&updated_at[after]=1767225599',
    'GET /api/v2/customers?limit=100&offset=["2"]&updated_at[after]=1767225599',
  ])
})

it('deleted plans and payment sources are requested, and reported as deletions', async () => {
  const plans = [{ plan: { id: 'p1', status: 'active' } }, { plan: { id: 'p2', status: 'deleted' } }]
  const sources = [{ payment_source: { id: 's1', deleted: true } }]
  await using provider = await openProvider(
    'chargebee',
    ({ url }) => {
      const all = url.pathname.endsWith('/plans') ? plans : sources
      return { body: { list: url.searchParams.get('include_deleted') === 'true' ? all : [] } }
    },
    connection,
  )
  const request = { fields: ['status'], since: new Date('2026-01-01T00:00:00Z'), deletions: true }
  const pages = [
    await provider.connector.readPage({ ...request, object: 'plans' }),
    await provider.connector.readPage({ ...request, object: 'payment_sources' }),
  ]
  expect(pages.flatMap(({ records }) => records.map(({ id, deleted }) => [id, deleted]))).toEqual([
    ['p1', undefined],
    ['p2', true],
    ['s1', true],
  ])
  // What is deleted is no record of other reads, nor of a list of ids, where it would count as there.
  for (const request of [{ fields: [] }, { fields: [], idsOnly: true }])
    expect(await provider.connector.readPage({ ...request, object: 'payment_sources' })).toMatchObject({ records: [] })
})

it('records are created, changed and deleted by forms, and found by a field', async () => {
  await using provider = await openProvider('chargebee', chargebee, connection)
  const { connector } = provider
  const items = { subscription_items: { item_price_id: ['basic-USD'] } }
  const record = { customer_id: 'c1', ...items }
  expect(await connector.write({ object: 'subscriptions', type: 'create', record })).toMatchObject({ recordId: 's1' })
  await connector.write({ object: 'customers', type: 'update', id: 'c1', record: { email: 'b@example.com' } })
  await connector.write({ object: 'customers', type: 'delete', id: 'c1', record: {} })
  await connector.search({
    object: 'customers',
    fields: [],
    filters: [{ field: 'email', operator: 'eq', value: 'a@example.com' }],
  })
  expect(asked(provider.seen).map((line) => decodeURIComponent(line))).toEqual([
    'POST /api/v2/customers/c1/subscription_for_items subscription_items[item_price_id][0]=basic-USD',
    'POST /api/v2/customers/c1 email=b@example.com',
    'POST /api/v2/customers/c1/delete',
    'GET /api/v2/customers?limit=100&email[is]=a@example.com',
  ])
  const refused = connector.write({ object: 'customers', type: 'update', id: 'c9', record: { email: 'x' } })
  await expect(refused).rejects.toMatchObject({ class: 'not_found', providerMessage: 'c9 not found' })
})
