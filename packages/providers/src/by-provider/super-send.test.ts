import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

it('a short page with more behind it is not the last', async () => {
  await using opened = await openProvider('superSend', ({ url }) => {
    const first = url.searchParams.get('offset') === '0'
    return { body: { mailboxes: [{ id: first ? 's1' : 's2' }], pagination: { has_more: first } } }
  })
  const { connector, seen } = opened
  const request = { object: 'managed-mailboxes', fields: ['id'] }
  const { nextPage = '' } = await connector.readPage(request)
  await expect(connector.readPage({ ...request, page: nextPage })).resolves.toMatchObject({
    records: [{ id: 's2' }],
    nextPage: undefined,
  })
  expect(seen.map(({ url }) => url.search)).toEqual(['?limit=100&offset=0', '?limit=100&offset=1'])
})

it('sender profiles are read for each team, to the first page that is not full', async () => {
  await using opened = await openProvider('superSend', ({ url: { pathname, searchParams } }) => {
    if (pathname === '/v2/teams') return { body: { data: [{ id: 't1' }, { id: 't2' }] } }
    const team = searchParams.get('TeamId')
    if (team === null)
      return { status: 400, body: { error: { code: 'missing_team_id', message: 'TeamId is required' } } }
    const ids = Array.from({ length: team === 't1' ? 101 : 1 }, (_, at) => `${team}-${at}`)
    const from = Number(searchParams.get('offset'))
    const senderProfiles = ids.slice(from, from + Number(searchParams.get('limit'))).map((id) => ({ id }))
    return { body: { success: true, senderProfiles, total: ids.length } }
  })
  const request = { object: 'sender-profiles', fields: ['id'] }
  expect(await readAll(opened.connector, request)).toHaveLength(102)
  expect(asked(opened.seen).filter((line) => line.includes('sender-profiles'))).toEqual([
    'GET /v1/sender-profiles?limit=100&offset=0&TeamId=t1',
    'GET /v1/sender-profiles?limit=100&offset=100&TeamId=t1',
    'GET /v1/sender-profiles?limit=100&offset=0&TeamId=t2',
  ])
})

it.each([
  ['campaigns', '/v2/campaigns'],
  ['contacts', '/v2/contacts'],
  ['managed-domains', '/v2/domains'],
  ['placement-tests', '/v2/placement-tests'],
  ['senders', '/v2/senders'],
  ['teams', '/v2/teams'],
])('%s are read with version 2, which stays after 2026', async (object, path) => {
  await using opened = await openProvider('superSend', ({ url }) =>
    url.pathname === path ? { body: { success: true, data: [{ id: '1' }] } } : { status: 404, body: {} },
  )
  expect(await readAll(opened.connector, { object, fields: ['id'] })).toMatchObject([{ id: '1' }])
})

it('managed domains are those that Super Send manages', async () => {
  await using opened = await openProvider('superSend', () => ({ body: { success: true, data: [] } }))
  await opened.connector.readPage({ object: 'managed-domains', fields: ['id'] })
  expect(asked(opened.seen)).toEqual(['GET /v2/domains?limit=100&offset=0&managed=internal'])
})

it('senders that changed are read by their time of update', async () => {
  const data = [
    { id: 'old', updated_at: '2026-01-01T00:00:00Z' },
    { id: 'new', updated_at: '2026-03-01T00:00:00Z' },
  ]
  await using opened = await openProvider('superSend', () => ({ body: { success: true, data } }))
  const request = { object: 'senders', fields: ['id'], since: new Date('2026-02-01T00:00:00Z') }
  expect(await readAll(opened.connector, request)).toMatchObject([{ id: 'new' }])
})

it('campaigns, senders and teams are changed with version 2', async () => {
  await using opened = await openProvider('superSend', () => ({ body: { success: true, data: { id: '1' } } }))
  for (const object of ['campaigns', 'senders', 'teams'])
    await opened.connector.write({ object, type: 'update', id: '1', record: { name: 'A' } })
  expect(asked(opened.seen)).toEqual([
    'PATCH /v2/campaigns/1 {"name":"A"}',
    'PATCH /v2/senders/1 {"name":"A"}',
    'PATCH /v2/teams/1 {"name":"A"}',
  ])
})

it('a sender profile that is created has its id, and an error of version 2 its message', async () => {
  await using opened = await openProvider('superSend', ({ url: { pathname } }) =>
    pathname === '/v1/sender-profile'
      ? { status: 201, body: { success: true, senderProfile: { id: 'p1', name: 'Sales' } } }
      : { status: 400, body: { error: { type: 'invalid_request_error', message: 'email is required' } } },
  )
  const { connector } = opened
  const profile = { object: 'sender-profiles', type: 'create', record: { name: 'Sales' } } as const
  expect(await connector.write(profile)).toMatchObject({ recordId: 'p1' })
  const contact = connector.write({ object: 'contacts', type: 'create', record: {} })
  await expect(contact).rejects.toMatchObject({ providerMessage: 'email is required' })
})

it('conversations are read for each channel', async () => {
  await using opened = await openProvider('superSend', ({ url }) => ({
    body: { success: true, data: [{ id: url.searchParams.get('channel') }] },
  }))
  const records = await readAll(opened.connector, { object: 'conversations', fields: ['id'] })
  expect(records.map(({ id }) => id)).toEqual(['email', 'linkedin', 'twitter'])
})
