import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

/** What Klaviyo’s OpenAPI document says of filters, as far as the provider file relies on it. */

const operators: Record<string, readonly string[]> = {
  campaigns: ['equals', 'greater-or-equal', 'less-or-equal'],
  lists: ['greater-than'],
  profiles: ['greater-than', 'less-than'],
  segments: ['greater-than'],
}

/** Refuses an operator that the list does not have. Codes are listed for a coupon alone. */
function klaviyo({ url }: SeenRequest): Answer {
  const filters = url.searchParams.get('filter')?.match(/[a-z-]+(?=\()/g) ?? []
  const object = url.pathname.replace('/api/', '')
  if (filters.some((filter) => operators[object]?.includes(filter) === false) || object === 'coupon-codes')
    return { status: 400, body: { errors: [{ title: 'Invalid input.', detail: 'Invalid filter provided' }] } }
  const ids = object === 'coupons' ? ['c1', 'c2'] : [object.replaceAll('/', '-')]
  return { body: { data: ids.map((id) => ({ id, attributes: { name: id } })), links: { next: null } } }
}

const window = { since: new Date('2026-01-02T00:00:00Z'), until: new Date('2026-01-03T00:00:00Z') }

it('a window uses the operators that each list has, and loses no record at its bounds', async () => {
  await using provider = await openProvider('klaviyo', klaviyo)
  for (const object of ['profiles', 'lists', 'segments', 'campaigns'])
    expect(await readAll(provider.connector, { object, fields: ['name'], ...window })).toHaveLength(1)
  expect(asked(provider.seen)).toEqual([
    'GET /api/profiles?filter=greater-than(updated,2026-01-01T23:59:59Z),less-than(updated,2026-01-03T00:00:00Z)',
    'GET /api/lists?filter=greater-than(updated,2026-01-01T23:59:59Z)',
    'GET /api/segments?filter=greater-than(updated,2026-01-01T23:59:59Z)',
    "GET /api/campaigns?filter=greater-or-equal(updated_at,2026-01-02T00:00:00Z),less-or-equal(updated_at,2026-01-03T00:00:00Z),equals(messages.channel,'email')",
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
