import { expect, it } from 'vitest'
import { eventNamesOf } from '../interpreter/webhooks/event-names.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'
import { entryFor } from '../webhook-cases/webhook-case.testkit.ts'

/** What docs.stripe.com/api shows as answers, as far as the provider file relies on it. */

const list = (...data: object[]): Answer => ({ body: { object: 'list', has_more: false, data } })

function stripe({ url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (pathname === '/v1/treasury/financial_accounts') {
    if (searchParams.get('starting_after') === 'fa_1') return list({ id: 'fa_2' })
    return { body: { object: 'list', has_more: true, data: [{ id: 'fa_1' }] } }
  }
  const account = searchParams.get('financial_account')
  if (pathname.startsWith('/v1/treasury/'))
    return account === null
      ? { status: 400, body: { error: { message: 'Missing required param: financial_account.' } } }
      : list({ id: `of-${account}`, financial_account: account })
  return searchParams.get('status') === 'all' ? list({ id: 'sub_1' }, { id: 'sub_canceled' }) : list({ id: 'sub_1' })
}

it('subscriptions are read whatever their status is', async () => {
  await using provider = await openProvider('stripe', stripe)
  const { records } = await provider.connector.readPage({ object: 'subscriptions', fields: ['status'] })
  expect(records.map(({ id }) => id)).toEqual(['sub_1', 'sub_canceled'])
})

it('lists of the treasury are read for each financial account', async () => {
  await using provider = await openProvider('stripe', stripe)
  const since = new Date('2026-01-01T00:00:00Z')
  const found: string[] = []
  for (const object of ['treasury/received_credits', 'treasury/transactions', 'treasury/transaction_entries']) {
    const records = await readAll(provider.connector, { object, fields: ['id'], since })
    found.push(...records.map(({ id }) => `${object} ${id}`))
  }
  expect(found).toEqual([
    'treasury/received_credits of-fa_1',
    'treasury/received_credits of-fa_2',
    'treasury/transactions of-fa_1',
    'treasury/transactions of-fa_2',
    'treasury/transaction_entries of-fa_1',
    'treasury/transaction_entries of-fa_2',
  ])
  // A transaction is posted after it was created: only entries never change.
  const windows = asked(provider.seen).filter((path) => path.includes('created'))
  expect(windows).toHaveLength(2)
  expect(windows.every((path) => path.includes('/v1/treasury/transaction_entries?'))).toBe(true)
})

/** Events of invoices, newest first, as a page of two and a page of one. */
function changes({ url, method, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const event = (id: string, invoice: string) => ({
    id,
    type: 'invoice.updated',
    api_version: '2019-02-19',
    data: { object: { id: invoice, object: 'invoice', status: 'draft', metadata: { plan: 'old' } } },
  })
  if (pathname === '/v1/events' && searchParams.get('starting_after') === 'evt_2')
    return list(event('evt_1', 'in_gone'))
  if (pathname === '/v1/events')
    return { body: { object: 'list', has_more: true, data: [event('evt_3', 'in_1'), event('evt_2', 'in_1')] } }
  if (pathname === '/v1/invoices/in_1')
    return { body: { id: 'in_1', object: 'invoice', status: 'paid', created: 1, metadata: { plan: 'new' } } }
  if (pathname === '/v1/customers/cus_1') return { body: { id: 'cus_1', object: 'customer', deleted: true } }
  if (pathname === '/v1/invoices') return list({ id: 'in_1' }, { id: 'in_2' })
  return { status: 404, body: { error: { message: `No such thing: ${method} ${pathname} ${body}` } } }
}

const now = () => Date.parse('2026-03-20T00:00:00Z')

it('a window has the records that events name, each once and as it is now', async () => {
  await using provider = await openProvider('stripe', changes, { now })
  const since = new Date('2026-03-01T00:00:00Z')
  const request = { object: 'invoices', fields: ['status', 'plan'], since, until: new Date('2026-03-02T00:00:00Z') }
  const records = await readAll(provider.connector, request)
  expect(records.map(({ id, fields }) => ({ id, ...fields }))).toEqual([{ id: 'in_1', status: 'paid', plan: 'new' }])
  expect(records[0]?.raw).not.toHaveProperty('data')
  const [events, invoice, next, deleted] = provider.seen
  expect(events?.url.searchParams.getAll('types[]')).toContain('invoice.payment_succeeded')
  expect(events?.url.searchParams.get('created[gte]')).toBe('1772323200')
  expect(events?.headers['stripe-version']).toBe('2026-02-25.clover')
  expect([invoice, next, deleted].map((request) => request?.url.pathname)).toEqual([
    '/v1/invoices/in_1',
    '/v1/events',
    '/v1/invoices/in_gone',
  ])
})

it('a window that begins before the events of Stripe lists every record', async () => {
  await using provider = await openProvider('stripe', changes, { now })
  const since = new Date('2026-01-01T00:00:00Z')
  const { records } = await provider.connector.readPage({ object: 'invoices', fields: ['status'], since })
  expect(records.map(({ id }) => id)).toEqual(['in_1', 'in_2'])
  expect(asked(provider.seen)).toEqual(['GET /v1/invoices?limit=100'])
})

it('the mark of a deleted customer is not a customer', async () => {
  await using provider = await openProvider('stripe', changes)
  expect(await provider.connector.fetchRecord('customers', 'cus_1', ['email'])).toBeUndefined()
})

it('no request of events names more types than Stripe permits', async () => {
  await using provider = await openProvider('stripe', changes)
  const objects = [...(provider.entry.file?.sets.values() ?? [])].flatMap((set) => [...set.objects.values()])
  const types = objects.flatMap(({ incremental }) => {
    const names = incremental?.read?.query?.['types[]']
    return Array.isArray(names) ? [names] : []
  })
  expect(types.length).toBeGreaterThan(25)
  expect(types.filter((names) => names.length === 0 || names.length > 20)).toEqual([])
})

it.each([
  ['issuing/disputes', 'issuing_dispute.funds_rescinded'],
  ['issuing/transactions', 'issuing_transaction.purchase_details_receipt_updated'],
])('a window of %s has what %s changed', async (object, type) => {
  await using provider = await openProvider('stripe', changes, { now })
  await readAll(provider.connector, { object, fields: ['status'], since: new Date('2026-03-01T00:00:00Z') }).catch(
    () => {},
  )
  expect(provider.seen[0]?.url.searchParams.getAll('types[]')).toContain(type)
})

it.each([
  ['payment_methods', 'create', 'payment_method.attached'],
  ['payment_links', 'update', 'payment_link.updated'],
  ['billing/meters', 'update', 'billing.meter.deactivated'],
  ['treasury/outbound_payments', 'update', 'treasury.outbound_payment.posted'],
  ['test_helpers/test_clocks', 'delete', 'test_helpers.test_clock.deleted'],
] as const)('an event of %s to %s is %s', async (object, kind, name) => {
  const { webhooks } = (await entryFor('stripe')).file ?? {}
  if (webhooks === undefined) throw new Error('no webhooks')
  expect(eventNamesOf(webhooks, object)?.[kind]).toContain(name)
})
