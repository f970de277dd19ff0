import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { openProvider } from './testing/open-provider.testkit.ts'

/** What marketplace.gohighlevel.com/docs shows as answers, as far as the provider file relies on it. */

const contacts = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.000Z'].map(
  (dateAdded, index) => ({ id: `c${index + 1}`, dateAdded }),
)

function highLevel({ body }: SeenRequest): Answer {
  const { filters = [], pageLimit } = JSON.parse(body) as { filters?: { value: { gte: string } }[]; pageLimit: number }
  const from = filters[0]?.value.gte ?? ''
  return { body: { contacts: contacts.filter(({ dateAdded }) => dateAdded >= from).slice(0, pageLimit), total: 3 } }
}

it('contacts are read to the last one: a page begins with the time of the last contact', async () => {
  await using provider = await openProvider('highLevelStandard', highLevel, {
    credential: { scheme: 'oauth2', accessToken: 'token' },
    metadata: { locationId: 'location' },
  })
  const request = { object: 'contacts', fields: ['dateAdded'], pageSize: 2 }
  const first = await provider.connector.readPage(request)
  expect(first.records.map(({ id }) => id)).toEqual(['c1', 'c2'])
  const last = await provider.connector.readPage({ ...request, pageSize: 3, page: first.nextPage ?? '' })
  expect(last.records.map(({ id }) => id)).toEqual(['c3'])
  expect(last.nextPage).toBeUndefined()
  expect(JSON.parse(provider.seen[1]?.body ?? '')).toEqual({
    locationId: 'location',
    pageLimit: 3,
    sort: [{ field: 'dateAdded', direction: 'asc' }],
    filters: [{ field: 'dateAdded', operator: 'range', value: { gte: '2026-01-02T00:00:00.000Z' } }],
  })
})
