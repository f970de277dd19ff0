import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** Requests that developers.zoom.us/docs/api shows. */

it('the fields of a new user are wrapped, and those of a change are not', async () => {
  await using opened = await openProvider('zoom', () => ({ status: 201, body: { id: 'u1' } }))
  const { connector, seen } = opened
  await connector.write({ object: 'users', type: 'create', record: { email: 'ada@example.com', type: 1 } })
  await connector.write({ object: 'users', type: 'update', id: 'u1', record: { dept: 'Sales' } })
  expect(asked(seen)).toEqual([
    'POST /v2/users {"action":"create","user_info":{"email":"ada@example.com","type":1}}',
    'PATCH /v2/users/u1 {"dept":"Sales"}',
  ])
})

it('an empty token ends a list', async () => {
  await using opened = await openProvider('zoom', () => ({ body: { meetings: [{ id: 7 }], next_page_token: '' } }))
  const { connector, seen } = opened
  const page = await connector.readPage({ object: 'meetings', fields: ['id'] })
  expect(page).toMatchObject({ records: [{ id: '7' }], nextPage: undefined })
  expect(asked(seen)).toEqual(['GET /v2/users/me/meetings?page_size=300&type=scheduled'])
})

it('inactive users are read after active ones', async () => {
  await using provider = await openProvider('zoom', ({ url }) => ({
    body: { users: [{ id: url.searchParams.get('status') }], next_page_token: '' },
  }))
  const records = await readAll(provider.connector, { object: 'users', fields: ['id'] })
  expect(records.map(({ id }) => id)).toEqual(['active', 'inactive'])
})

it('webinars are read by page numbers, because their list takes no token', async () => {
  await using provider = await openProvider('zoom', ({ url }) => ({
    body: { webinars: [{ id: Number(url.searchParams.get('page_number')) }], page_count: 2, total_records: 2 },
  }))
  const records = await readAll(provider.connector, { object: 'webinars', fields: ['id'] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
  expect(asked(provider.seen)).toEqual(
    [1, 2].map((page) => `GET /v2/users/me/webinars?page_size=300&page_number=${page}`),
  )
})

it('archived files are read in windows of seven days, by when they were complete', async () => {
  const now = () => Date.parse('2026-06-14T00:00:00Z')
  await using provider = await openProvider('zoom', () => ({ body: { meetings: [] } }), { now })
  const since = new Date('2026-06-01T01:00:00Z')
  await readAll(provider.connector, { object: 'archive_files', fields: ['topic'], since, until: new Date(now()) })
  expect(asked(provider.seen)).toEqual(
    ['from=2026-06-01T00:00:00Z&to=2026-06-07T23:59:59Z', 'from=2026-06-07T23:59:59Z&to=2026-06-14T00:00:00Z'].map(
      (window) => `GET /v2/archive_files?page_size=300&${window}&query_date_type=archive_complete_time`,
    ),
  )
})

it('sign-ins are read month by month, of the last six months', async () => {
  const now = () => Date.parse('2026-06-30T00:00:00Z')
  await using provider = await openProvider('zoom', () => ({ body: { activity_logs: [{ type: 'Sign in' }] } }), { now })
  const records = await readAll(provider.connector, { object: 'activities_report', fields: ['type'] })
  expect(records).toHaveLength(7)
  expect(asked(provider.seen)[0]).toBe('GET /v2/report/activities?page_size=300&from=2026-01-01&to=2026-01-28')
})
