import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.paypal.com/docs/api shows, as far as the provider file relies on it. */

const lists: Record<string, { name: string; max: number }> = {
  '/v2/invoicing/invoices': { name: 'items', max: 100 },
  '/v1/catalogs/products': { name: 'products', max: 20 },
  '/v1/billing/plans': { name: 'plans', max: 20 },
}

function payPal({ method, url, headers, body }: SeenRequest): Answer {
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const given = JSON.parse(body) as { detail?: object }
    const details = [{ field: '/detail', issue: 'MISSING_REQUIRED_PARAMETER', description: 'A field is missing.' }]
    if (given.detail === undefined)
      return { status: 400, body: { name: 'INVALID_REQUEST', message: 'Request is not well-formed.', details } }
    // Without the header, the answer has a link only.
    return headers['prefer'] === 'return=representation'
      ? { status: 201, body: { id: 'INV2-9', ...given } }
      : { status: 201, body: { rel: 'self', href: 'https://api-m.paypal.com/v2/invoicing/invoices/INV2-9' } }
  }
  const list = lists[url.pathname]
  const size = Number(url.searchParams.get('page_size'))
  const page = Number(url.searchParams.get('page'))
  if (list === undefined || size > list.max) return { status: 400, body: { message: 'INVALID_PAGE_SIZE' } }
  const all = Array.from({ length: size + 1 }, (_, at) => ({ id: `${at + 1}` }))
  const counted = url.searchParams.get('total_required') === 'true' ? { total_items: size + 1, total_pages: 2 } : {}
  return { body: { ...counted, [list.name]: all.slice((page - 1) * size, page * size) } }
}

it('invoices, products and plans are read to the last page', async () => {
  await using provider = await openProvider('payPal', payPal)
  for (const [object, size] of [
    ['invoices', 100],
    ['products', 20],
    ['plans', 20],
  ] as const) {
    const first = await provider.connector.readPage({ object, fields: ['status'] })
    const second = await provider.connector.readPage({ object, fields: ['status'], page: first.nextPage ?? '' })
    expect([first.total, first.records.length, second.records.map(({ id }) => id)]).toEqual([
      size + 1,
      size,
      [`${size + 1}`],
    ])
    expect(second.nextPage).toBeUndefined()
  }
  expect(asked(provider.seen)[1]).toBe('GET /v2/invoicing/invoices?page=2&page_size=100&total_required=true')
})

it('invoices are written, and the answer has the record', async () => {
  await using provider = await openProvider('payPal', payPal)
  const { connector, seen } = provider
  const record = { detail: { currency_code: 'USD' } }
  expect((await connector.write({ object: 'invoices', type: 'create', record })).recordId).toBe('INV2-9')
  await connector.write({ object: 'invoices', type: 'update', id: 'INV2-9', record })
  await connector.write({ object: 'invoices', type: 'delete', id: 'INV2-9', record: {} })
  expect(asked(seen)).toEqual([
    'POST /v2/invoicing/invoices {"detail":{"currency_code":"USD"}}',
    'PUT /v2/invoicing/invoices/INV2-9 {"detail":{"currency_code":"USD"}}',
    'DELETE /v2/invoicing/invoices/INV2-9',
  ])
})

it('subscriptions are read to a page that is not full, and products change by a JSON Patch', async () => {
  const all = Array.from({ length: 25 }, (_, at) => ({ id: `I-${at}`, update_time: '2026-01-02T00:00:00Z' }))
  await using provider = await openProvider('payPal', ({ method, url: { searchParams } }) => {
    if (method !== 'GET') return { status: 204 }
    const [page, size] = ['page', 'page_size'].map((name) => Number(searchParams.get(name))) as [number, number]
    const subscriptions = all.slice((page - 1) * size, page * size)
    return size > 20 ? { status: 400 } : { body: { ...(subscriptions.length > 0 && { subscriptions }), links: [] } }
  })
  expect(await readAll(provider.connector, { object: 'subscriptions', fields: [] })).toHaveLength(25)
  const record = { description: 'New' }
  await provider.connector.write({ object: 'products', type: 'update', id: 'PROD-1', record })
  expect(asked(provider.seen).at(-1)).toBe(
    'PATCH /v1/catalogs/products/PROD-1 [{"op":"replace","path":"/description","value":"New"}]',
  )
})

it('disputes are read whole, from link to link, whose host does not matter', async () => {
  const all = Array.from({ length: 3 }, (_, at) => ({ dispute_id: `PP-D-${at}`, status: 'OPEN' }))
  await using provider = await openProvider('payPal', ({ url: { pathname, searchParams } }) => {
    const id = pathname.split('/')[4]
    const found = all.find(({ dispute_id }) => dispute_id === id)
    if (found !== undefined) return { body: { ...found, disputed_transactions: [{ seller_transaction_id: '3BC' }] } }
    const at = Number(searchParams.get('next_page_token') ?? 0)
    const href = (token: number) => `https://api.paypal.com/v1/customer/disputes?page_size=2&next_page_token=${token}`
    const links = [
      { rel: 'self', href: href(at), method: 'GET' },
      ...(at + 2 < 3 ? [{ rel: 'next', href: href(at + 2), method: 'GET' }] : []),
    ]
    return Number(searchParams.get('page_size')) > 50
      ? { status: 400 }
      : { body: { items: all.slice(at, at + 2), links } }
  })
  const since = new Date(Date.now() - 86_400_000)
  const request = { object: 'disputes', fields: ['disputed_transactions'], since, until: new Date(), pageSize: 2 }
  const records = await readAll(provider.connector, request)
  expect(records.map(({ id, fields }) => [id, fields])).toEqual(
    all.map(({ dispute_id }) => [dispute_id, { disputed_transactions: [{ seller_transaction_id: '3BC' }] }]),
  )
  const lists = provider.seen.filter(({ url }) => url.pathname === '/v1/customer/disputes')
  expect(lists.map(({ url }) => [...url.searchParams.keys()])).toEqual([
    ['page_size', 'update_time_after', 'update_time_before'],
    ['page_size', 'next_page_token', 'update_time_after', 'update_time_before'],
  ])
})

it('what PayPal refuses is an error with its reasons', async () => {
  await using provider = await openProvider('payPal', payPal)
  const refused = provider.connector.write({ object: 'invoices', type: 'create', record: { items: [] } })
  await expect(refused).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'Request is not well-formed.',
    errors: [{ message: 'MISSING_REQUIRED_PARAMETER: A field is missing.' }],
  })
})

it('transactions are read in windows of 31 days, from three years ago', async () => {
  const now = Date.parse('2026-03-01T00:00:00Z')
  await using provider = await openProvider(
    'payPal',
    ({ url }) => {
      const [start, end] = ['start_date', 'end_date'].map((name) => Date.parse(url.searchParams.get(name) ?? ''))
      if (
        start === undefined ||
        end === undefined ||
        !(end - start <= 31 * 86_400_000) ||
        start < now - 1095 * 86_400_000
      )
        return { status: 400, body: { message: 'Date range is greater than 31 days' } }
      const info = { transaction_id: '5TY05013RG002845M', transaction_event_code: 'T0006', transaction_status: 'S' }
      return { body: { transaction_details: [{ transaction_info: info }], total_items: 1, total_pages: 1, page: 1 } }
    },
    { now: () => now },
  )
  const request = { object: 'transactions', fields: ['transaction_status'], since: new Date('2026-01-10T04:00:00Z') }
  const records = await readAll(provider.connector, request)
  expect(records[0]).toMatchObject({ id: '5TY05013RG002845M/T0006', fields: { transaction_status: 'S' } })
  expect(asked(provider.seen)).toEqual([
    'GET /v1/reporting/transactions?start_date=2026-01-10T00:00:00Z&end_date=2026-02-09T23:59:59Z&fields=all&balance_affecting_records_only=N&page=1&page_size=500',
    'GET /v1/reporting/transactions?start_date=2026-02-09T23:59:59Z&end_date=2026-03-01T00:00:00Z&fields=all&balance_affecting_records_only=N&page=1&page_size=500',
  ])
  expect(await readAll(provider.connector, { object: 'transactions', fields: [] })).toHaveLength(36)
})

it('a month with too many transactions is read by halves', async () => {
  const now = Date.parse('2026-03-01T00:00:00Z')
  const windows: string[] = []
  await using provider = await openProvider(
    'payPal',
    ({ url }) => {
      const [start = '', end = ''] = ['start_date', 'end_date'].map((name) => url.searchParams.get(name) ?? '')
      windows.push(`${start.slice(5, 10)} ${end.slice(5, 10)}`)
      if (Date.parse(end) - Date.parse(start) > 10 * 86_400_000)
        return {
          status: 400,
          body: { name: 'RESULTSET_TOO_LARGE', message: 'Result set size is greater than the maximum limit.' },
        }
      const info = { transaction_id: start, transaction_event_code: 'T0006' }
      return { body: { transaction_details: [{ transaction_info: info }], total_items: 1, total_pages: 1, page: 1 } }
    },
    { now: () => now },
  )
  const request = { object: 'transactions', fields: [], since: new Date('2026-02-01T04:00:00Z') }
  expect(await readAll(provider.connector, request)).toHaveLength(4)
  expect(windows).toEqual(['02-01 03-01', '02-01 02-15', '02-01 02-08', '02-08 02-15', '02-15 02-22', '02-22 03-01'])
})
