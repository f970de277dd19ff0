import { expect, it } from 'vitest'
import { parseEvents } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'
import { entryFor } from '../webhook-cases/webhook-case.testkit.ts'

/** What developer.squareup.com/reference/square shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'oauth2', accessToken: 'token' } as const
const since = new Date('2026-01-01T00:00:00Z')

function square({ url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (pathname === '/v2/locations') return { body: { locations: [{ id: 'L1' }, { id: 'L2' }] } }
  if (pathname === '/v2/payments') return { body: { payments: [{ id: `of ${searchParams.get('location_id')}` }] } }
  if (pathname === '/v2/customers/search') return { body: { customers: [{ id: 'C1' }] } }
  return { body: {} }
}

it('changed payments of each location are read', async () => {
  await using provider = await openProvider('square', square, { credential })
  const ids = (
    await readAll(provider.connector, {
      object: 'payments',
      fields: ['status'],
      since,
    })
  ).map(({ id }) => id)
  expect(ids).toEqual(['of L1', 'of L2'])
  const [, first] = asked(provider.seen.filter(({ url }) => url.pathname === '/v2/payments'))
  const query = new URL(`https://square.invalid${first?.replace('GET ', '')}`).searchParams
  expect(Object.fromEntries(query)).toEqual({
    limit: '100',
    location_id: 'L2',
    begin_time: '2009-01-01T00:00:00Z',
    updated_at_begin_time: '2025-12-31T23:59:00.000Z',
    sort_field: 'UPDATED_AT',
    sort_order: 'ASC',
  })
})

it('changed customers are searched, a minute earlier; a list may be absent', async () => {
  await using provider = await openProvider('square', square, { credential })
  const { records } = await provider.connector.readPage({ object: 'customers', fields: ['id'], since })
  expect(records).toMatchObject([{ id: 'C1' }])
  expect(JSON.parse(provider.seen[0]?.body ?? '')).toEqual({
    limit: 100,
    query: {
      filter: { updated_at: { start_at: '2025-12-31T23:59:00.000Z' } },
      sort: { field: 'CREATED_AT', order: 'ASC' },
    },
  })
  expect(await provider.connector.readPage({ object: 'disputes', fields: ['id'] })).toMatchObject({ records: [] })
})

it('a gift card is made with the key of the write', async () => {
  const answer = () => ({ body: { gift_card: { id: 'G1' } } })
  await using provider = await openProvider('square', answer, { credential })
  const write = { object: 'gift_cards', type: 'create', record: { type: 'DIGITAL', location_id: 'L1' } } as const
  expect(await provider.connector.write({ ...write, idempotencyKey: 'K' })).toMatchObject({ recordId: 'G1' })
  expect(JSON.parse(provider.seen[0]?.body ?? '')).toEqual({
    idempotency_key: 'K',
    location_id: 'L1',
    gift_card: { type: 'DIGITAL' },
  })
})

it.each([
  ['booking.updated', { type: 'booking', id: 'b1:4', object: { booking: { id: 'b1', version: 4 } } }, 'b1'],
  ['card.disabled', { type: 'card', id: 'd1', object: { card: { id: 'ccof:1' } } }, 'ccof:1'],
  ['payout.paid', { type: 'payout', id: 'po_1', object: { payout: { id: 'po_1' } } }, 'po_1'],
  [
    'catalog.version.updated',
    { type: 'catalog', object: { catalog_version: { updated_at: '2026-01-01' } } },
    undefined,
  ],
])('%s names the record as reads do', async (name, data, id) => {
  const { webhooks } = (await entryFor('square')).file ?? {}
  if (webhooks === undefined) throw new Error('no webhooks')
  const event = { merchant_id: 'M1', type: name, event_id: 'e1', created_at: '2026-01-01T00:00:00Z', data }
  expect(parseEvents(webhooks, event, {})).toMatchObject([{ name, account: 'M1' }])
  expect(parseEvents(webhooks, event, {})[0]?.id).toBe(id)
  const listed = Object.values(webhooks.objects ?? {}).flatMap((events) => Object.values(events).flat())
  expect(listed).toContain(name)
})

const bookings = [
  { id: 'past', start_at: '2019-03-01T10:00:00Z', updated_at: '2019-02-01T00:00:00Z' },
  { id: 'moved', start_at: '2026-01-10T10:00:00Z', updated_at: '2026-01-02T00:00:00Z' },
  { id: 'next year', start_at: '2027-02-01T10:00:00Z', updated_at: '2025-12-01T00:00:00Z' },
]

/** Without times, bookings of the next 31 days are listed. A longer time is refused. */
function listedBookings({ url }: SeenRequest): Answer {
  const now = Date.parse('2026-01-03T00:00:00Z')
  const min = Date.parse(url.searchParams.get('start_at_min') ?? new Date(now).toISOString())
  const max = Date.parse(url.searchParams.get('start_at_max') ?? new Date(min + 31 * 86_400_000).toISOString())
  if (!(max - min <= 31 * 86_400_000)) return { status: 400, body: { errors: [{ detail: 'Over 31 days.' }] } }
  const found = bookings.filter(({ start_at }) => Date.parse(start_at) >= min && Date.parse(start_at) <= max)
  return { body: found.length === 0 ? {} : { bookings: found } }
}

it('bookings of all years are read, and those ahead, though a list covers 31 days', async () => {
  const now = () => Date.parse('2026-01-03T00:00:00Z')
  await using provider = await openProvider('square', listedBookings, { credential, now })
  const all = await readAll(provider.connector, { object: 'bookings', fields: ['status'] })
  expect(all.map(({ id }) => id)).toEqual(['next year', 'moved', 'past'])
  const changed = await readAll(provider.connector, { object: 'bookings', fields: ['status'], since })
  expect(changed.map(({ id }) => id)).toEqual(['moved'])
})
