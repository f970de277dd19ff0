import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What docs.housecallpro.com shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'apiKey', apiKey: 'key' } as const

function housecall({ url }: SeenRequest): Answer {
  if (url.pathname.startsWith('/api/invoices/')) return { body: { id: 'invoice_1', status: 'paid' } }
  const page = Number(url.searchParams.get('page'))
  const updated_at = page === 1 ? '2026-03-20T16:44:55Z' : '2026-02-01T10:30:00Z'
  return {
    body: { page, page_size: 1, total_pages: 2, total_items: 2, customers: [{ id: `cus_${page}`, updated_at }] },
  }
}

it('customers are read page by page, and an invoice by its id', async () => {
  await using provider = await openProvider('housecallPro', housecall, { credential })
  const { connector } = provider
  const request = { object: 'customers', fields: ['updated_at'] }
  const first = await connector.readPage(request)
  expect(first).toMatchObject({ records: [{ id: 'cus_1' }], total: 2 })
  const last = await connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [{ id: 'cus_2' }], nextPage: undefined })
  expect(await connector.fetchRecord('invoices', 'invoice_1', ['status'])).toMatchObject({ fields: { status: 'paid' } })
  expect(asked(provider.seen)).toEqual([
    'GET /customers?page=1&page_size=200&sort_by=created_at&sort_direction=asc',
    'GET /customers?page=2&page_size=200&sort_by=created_at&sort_direction=asc',
    'GET /api/invoices/invoice_1',
  ])
})

it('a window ends at the first customer that changed before it', async () => {
  await using provider = await openProvider('housecallPro', housecall, { credential })
  const request = { object: 'customers', fields: ['updated_at'], since: new Date('2026-03-01T00:00:00Z') }
  const first = await provider.connector.readPage(request)
  expect(first).toMatchObject({ records: [{ id: 'cus_1' }] })
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [], nextPage: undefined })
  expect(asked(provider.seen)[0]).toBe('GET /customers?page=1&page_size=200&sort_by=updated_at&sort_direction=desc')
})

it('what is sent only if it is named is requested with its field', async () => {
  await using provider = await openProvider('housecallPro', () => ({ body: { jobs: [], customers: [] } }), {
    credential,
  })
  const { connector, seen } = provider
  await connector.readPage({ object: 'customers', fields: ['email', 'attachments', 'do_not_service'] })
  await connector.readPage({ object: 'jobs', fields: ['attachments'], since: new Date('2026-03-01T00:00:00Z') })
  await connector.readPage({ object: 'jobs', fields: ['description'] })
  await connector.fetchRecord('customers', 'cus_1', ['do_not_service'])
  await connector.fetchRecord('jobs', 'job_1', ['attachments'])
  expect(seen.map(({ url }) => [url.pathname, url.searchParams.getAll('expand[]')])).toEqual([
    ['/customers', ['attachments', 'do_not_service']],
    ['/jobs', ['attachments']],
    ['/jobs', []],
    ['/customers/cus_1', ['do_not_service']],
    ['/jobs/job_1', ['attachments']],
  ])
})

it('categories of materials are read level by level', async () => {
  const below: Record<string, string[]> = { top: ['a', 'b'], a: ['c'] }
  await using provider = await openProvider('housecallPro', ({ url }) => {
    const names = below[url.searchParams.get('parent_uuid') ?? 'top'] ?? []
    return { body: { data: names.map((uuid) => ({ object: 'material_category', uuid })), total_pages_count: 1 } }
  })
  const records = await readAll(provider.connector, { object: 'price_book/material_categories', fields: ['name'] })
  expect(records.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c'])
})
