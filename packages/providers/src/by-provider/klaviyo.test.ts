import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What Klaviyo’s OpenAPI document says of filters, as far as the provider file relies on it. */

const operators: Record<string, readonly string[]> = {
  campaigns: ['equals', 'greater-or-equal', 'less-or-equal'],
  lists: ['greater-than'],
  profiles: ['greater-than', 'less-than'],
  reviews: [],
  segments: ['greater-than'],
}

const campaigns = [
  { id: 'mail', channel: 'email', archived: false },
  { id: 'old mail', channel: 'email', archived: true },
  { id: 'text', channel: 'sms', archived: false },
  { id: 'push', channel: 'mobile_push', archived: false },
]

/** Campaigns are listed for one channel, and archived ones only if the filter names them. So are archived flows. */
function listed(filter: string, all: { id: string; channel?: string; archived: boolean }[]): Answer {
  const channel = /messages\.channel,'(\w+)'/.exec(filter)?.[1]
  const archived = /archived,(\w+)/.exec(filter)?.[1] === 'true'
  const found = all.filter((one) => one.channel === channel && one.archived === archived)
  return { body: { data: found.map(({ id, ...attributes }) => ({ id, attributes })), links: { next: null } } }
}

/** Refuses an operator that the list does not have. Codes are listed for a coupon alone. */
function klaviyo({ url }: SeenRequest): Answer {
  const filters = url.searchParams.get('filter')?.match(/[a-z-]+(?=\()/g) ?? []
  const object = url.pathname.replace('/api/', '')
  if (filters.some((filter) => operators[object]?.includes(filter) === false) || object === 'coupon-codes')
    return { status: 400, body: { errors: [{ title: 'Invalid input.', detail: 'Invalid filter provided' }] } }
  if (object === 'campaigns') return listed(url.searchParams.get('filter') ?? '', campaigns)
  if (object === 'flows')
    return listed(url.searchParams.get('filter') ?? '', [
      { id: 'live', archived: false },
      { id: 'old', archived: true },
    ])
  if (object === 'reviews') {
    const changed = ['2026-01-02T12:00:00+00:00', '2026-01-01T12:00:00+00:00']
    const sorted = url.searchParams.get('sort') === '-updated' ? changed : changed.toReversed()
    const data = sorted.map((updated) => ({ id: updated.slice(0, 10), attributes: { updated } }))
    return { body: { data, links: { next: null } } }
  }
  const ids = object === 'coupons' ? ['c1', 'c2'] : [object.replaceAll('/', '-')]
  return { body: { data: ids.map((id) => ({ id, attributes: { name: id } })), links: { next: null } } }
}

const window = { since: new Date('2026-01-02T00:00:00Z'), until: new Date('2026-01-03T00:00:00Z') }

it('a window uses the operators that each list has, and loses no record at its bounds', async () => {
  await using provider = await openProvider('klaviyo', klaviyo)
  for (const object of ['profiles', 'lists', 'segments'])
    expect(await readAll(provider.connector, { object, fields: ['name'], ...window })).toHaveLength(1)
  expect(asked(provider.seen)).toEqual([
    'GET /api/profiles?page[size]=100&filter=greater-than(updated,2026-01-01T23:59:59Z),less-than(updated,2026-01-03T00:00:00Z)',
    'GET /api/lists?filter=greater-than(updated,2026-01-01T23:59:59Z)',
    'GET /api/segments?filter=greater-than(updated,2026-01-01T23:59:59Z)',
  ])
})

it('the codes of every coupon are read', async () => {
  await using provider = await openProvider('klaviyo', klaviyo)
  const records = await readAll(provider.connector, { object: 'coupon-codes', fields: ['status'] })
  expect(records.map(({ id }) => id)).toEqual(['coupons-c1-coupon-codes', 'coupons-c2-coupon-codes'])
  expect(asked(provider.seen)).toEqual([
    'GET /api/coupons',
    'GET /api/coupons/c1/coupon-codes',
    'GET /api/coupons/c2/coupon-codes',
  ])
})

it('campaigns of every channel and flows are read, archived ones, too', async () => {
  await using provider = await openProvider('klaviyo', klaviyo)
  const ids = async (request: object, object: string) =>
    (await readAll(provider.connector, { object, fields: ['name'], ...request })).map(({ id }) => id)
  expect(await ids({}, 'campaigns')).toEqual(['mail', 'old mail', 'text', 'push'])
  expect(await ids(window, 'campaigns')).toEqual(['mail', 'old mail', 'text', 'push'])
  expect(await ids({}, 'flows')).toEqual(['live', 'old'])
  expect(await ids(window, 'flows')).toEqual(['live', 'old'])
  expect(asked(provider.seen)[6]).toBe(
    "GET /api/campaigns?filter=greater-or-equal(updated_at,2026-01-02T00:00:00Z),less-or-equal(updated_at,2026-01-03T00:00:00Z),equals(messages.channel,'email'),equals(archived,false)",
  )
})

it('changed reviews are read without a filter, which has no time of the change', async () => {
  await using provider = await openProvider('klaviyo', klaviyo)
  const records = await readAll(provider.connector, { object: 'reviews', fields: ['updated'], ...window })
  expect(records.map(({ id }) => id)).toEqual(['2026-01-02'])
  expect(asked(provider.seen)).toEqual(['GET /api/reviews?page[size]=100&sort=-updated'])
})
