import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

it('a short page with more behind it is not the last', async () => {
  await using opened = await openProvider('superSend', ({ url }) => {
    const first = url.searchParams.get('offset') === '0'
    return { body: { senders: [{ id: first ? 's1' : 's2' }], pagination: { has_more: first } } }
  })
  const { connector, seen } = opened
  const request = { object: 'senders', fields: ['id'] }
  const { nextPage = '' } = await connector.readPage(request)
  await expect(connector.readPage({ ...request, page: nextPage })).resolves.toMatchObject({
    records: [{ id: 's2' }],
    nextPage: undefined,
  })
  expect(seen.map(({ url }) => url.search)).toEqual(['?limit=100&offset=0', '?limit=100&offset=1'])
})

it('sender profiles are read for each team, to the first page that is not full', async () => {
  await using opened = await openProvider('superSend', ({ url: { pathname, searchParams } }) => {
    if (pathname === '/v1/teams') return { body: { teams: [{ id: 't1' }, { id: 't2' }] } }
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
    'GET /v1/sender-profiles?TeamId=t1&limit=100&offset=0',
    'GET /v1/sender-profiles?TeamId=t1&limit=100&offset=100',
    'GET /v1/sender-profiles?TeamId=t2&limit=100&offset=0',
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
