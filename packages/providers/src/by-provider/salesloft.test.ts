import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.salesloft.com shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'oauth2', accessToken: 'token' } as const

it('custom fields are written where reads find them', async () => {
  const answer = () => ({ body: { data: { id: 7, first_name: 'Ada', custom_fields: { hobby: 'chess' } } } })
  await using provider = await openProvider('salesloft', answer, { credential })
  const { connector } = provider
  const object = 'people'
  const record = { first_name: 'Ada', hobby: 'chess', owner_id: 3 }
  expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: '7' })
  await connector.write({ object, type: 'update', id: '7', record: { custom_fields: { hobby: 'go' } } })
  expect(asked(provider.seen)).toEqual([
    'POST /v2/people {"first_name":"Ada","custom_fields":{"hobby":"chess"},"owner_id":3}',
    'PUT /v2/people/7 {"custom_fields":{"hobby":"go"}}',
  ])
  expect(await connector.fetchRecord(object, '7', ['hobby'])).toMatchObject({ fields: { hobby: 'chess' } })
})

it('cadence memberships are made by parameters', async () => {
  await using provider = await openProvider('salesloft', () => ({ body: { data: { id: 1 } } }), { credential })
  const record = { person_id: 7, cadence_id: 5 }
  await provider.connector.write({ object: 'cadence_memberships', type: 'create', record })
  expect(provider.seen[0]?.url.search).toBe('?person_id=7&cadence_id=5')
})

it('users whom the account may not act for, and archived templates, are read', async () => {
  await using provider = await openProvider('salesloft', () => ({ body: { data: [], metadata: {} } }), { credential })
  for (const object of ['users', 'email_templates', 'team_templates'])
    await provider.connector.readPage({ object, fields: [] })
  expect(asked(provider.seen)).toEqual([
    'GET /v2/users?per_page=100&visible_only=false',
    'GET /v2/email_templates?per_page=100&include_archived_templates=true',
    'GET /v2/team_templates?per_page=100&include_archived_templates=true',
  ])
})

it('meetings that changed come first, and the read ends with the first older one', async () => {
  const data = [
    { id: 2, updated_at: '2026-01-02T00:00:00Z' },
    { id: 1, updated_at: '2025-01-02T00:00:00Z' },
  ]
  const answer = () => ({ body: { data, metadata: { paging: { next_page: 2 } } } })
  await using provider = await openProvider('salesloft', answer, { credential })
  const request = { object: 'meetings', fields: [], since: new Date('2026-01-01T00:00:00Z') }
  const { records, nextPage } = await provider.connector.readPage(request)
  expect([records.map(({ id }) => id), nextPage]).toEqual([['2'], undefined])
  const order = 'sort_by=updated_at&sort_direction=DESC'
  expect(asked(provider.seen)).toEqual([`GET /v2/meetings?per_page=100&show_deleted=true&${order}`])
})
