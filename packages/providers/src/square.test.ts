import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

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
