import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

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

const open = (answer: (request: SeenRequest) => Answer) =>
  openProvider('highLevelStandard', answer, {
    credential: { scheme: 'oauth2', accessToken: 'token' },
    metadata: { locationId: 'location' },
  })

it('email schedules of every status are read, and drafts of calendars', async () => {
  await using provider = await open(({ url }) =>
    url.pathname === '/calendars/'
      ? { body: { calendars: [{ id: 'c' }] } }
      : { body: { schedules: url.searchParams.get('status') === 'draft' ? [{ id: 'd' }] : [] } },
  )
  const { connector, seen } = provider
  expect((await readAll(connector, { object: 'emails/schedule', fields: [] })).map(({ id }) => id)).toEqual(['d'])
  expect(seen.map(({ url }) => url.searchParams.get('status'))).toHaveLength(7)
  expect(seen[0]?.url.searchParams.get('emailStatus')).toBe('all')
  expect((await readAll(connector, { object: 'calendars', fields: [] })).map(({ id }) => id)).toEqual(['c'])
  expect(seen.at(-1)?.url.searchParams.get('showDrafted')).toBe('true')
})

it('submissions since a time are those of the day before and later; lost reasons are listed', async () => {
  await using provider = await open(({ url }) =>
    url.pathname === '/opportunities/lost-reason'
      ? { body: { lostReasons: [{ id: 'l' }] } }
      : { body: { submissions: [{ id: 's' }], meta: { nextPage: null } } },
  )
  const since = new Date('2026-03-02T10:00:00Z')
  for (const object of ['forms/submissions', 'surveys/submissions'])
    expect((await readAll(provider.connector, { object, fields: [], since })).map(({ id }) => id)).toEqual(['s'])
  const reasons = await readAll(provider.connector, { object: 'opportunities/lost-reason', fields: [] })
  expect(reasons.map(({ id }) => id)).toEqual(['l'])
  const query = '?locationId=location&startAt=2026-03-01&limit=100&page=1'
  expect(asked(provider.seen)).toEqual([
    `GET /forms/submissions${query}`,
    `GET /surveys/submissions${query}`,
    'GET /opportunities/lost-reason?locationId=location&limit=100&skip=0',
  ])
})

it('a sub-account connects with a Private Integration Token', async () => {
  await using provider = await openProvider('highLevelStandard', () => ({ body: { pipelines: [] } }), {
    credential: { scheme: 'apiKey', apiKey: 'pit-1' },
    metadata: { locationId: 'location' },
  })
  await readAll(provider.connector, { object: 'opportunities/pipelines', fields: [] })
  expect(provider.seen[0]?.headers['authorization']).toBe('Bearer pit-1')
})
