import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What the OpenAPI document of v2021-02-25 says of lists, as far as the provider file relies on it. */

const credential = { scheme: 'basic', username: 'key', password: '' } as const
const since = new Date('2026-01-01T00:00:00Z')

function recurly({ url }: SeenRequest): Answer {
  const records: Record<string, object[]> = {
    '/items': [
      { id: 'i1', state: 'active', deleted_at: null },
      { id: 'i2', state: 'inactive', deleted_at: '2026-01-02T00:00:00Z' },
    ],
    '/shipping_methods': [{ id: 's1' }, { id: 's2', deleted_at: '2026-01-02T00:00:00Z' }],
    '/gift_cards': [
      { id: 'g1', updated_at: '2025-12-01T00:00:00Z' },
      { id: 'g2', updated_at: '2026-01-02T00:00:00Z' },
    ],
  }
  const data = records[url.pathname]
  return data === undefined ? { status: 404 } : { body: { object: 'list', has_more: false, next: null, data } }
}

it('what a deletion made inactive is a deletion', async () => {
  await using provider = await openProvider('recurly', recurly, { credential })
  for (const object of ['items', 'shipping_methods']) {
    const { records } = await provider.connector.readPage({ object, fields: [], since, deletions: true })
    expect(records.map(({ deleted }) => deleted === true)).toEqual([false, true])
  }
  expect(asked(provider.seen)[0]).toBe(
    'GET /items?limit=200&sort=updated_at&order=asc&begin_time=2026-01-01T00:00:00.000Z',
  )
})

it('gift cards that changed are found among all of them, since their list has no window', async () => {
  await using provider = await openProvider('recurly', recurly, { credential })
  const { records } = await provider.connector.readPage({ object: 'gift_cards', fields: [], since })
  expect(records.map(({ id }) => id)).toEqual(['g2'])
  expect(asked(provider.seen)).toEqual(['GET /gift_cards?limit=200'])
})
