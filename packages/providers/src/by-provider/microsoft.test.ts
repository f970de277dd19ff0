import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** Responses that learn.microsoft.com/graph shows, as far as the provider file relies on them. */

function graph({ method, url: { pathname }, body }: SeenRequest): Answer {
  if (pathname === '/v1.0/$batch') {
    const { requests } = JSON.parse(body) as { requests: { id: string; url: string }[] }
    const responses = requests.map(({ id, url }) => {
      const selected = /^\/(?:users|groups)\/(\w+)/.exec(url)
      if (selected) return { id, status: 200, body: { id: selected[1], visibility: 'Private' } }
      const name = url.replace('/me/messages/', '')
      if (name === 'gone') return { id, status: 404, body: { error: { code: 'ErrorItemNotFound', message: 'Gone' } } }
      if (name === 'busy') return { id, status: 429, body: { error: { code: 'TooManyRequests', message: 'Wait' } } }
      return { id, status: 200, body: { id: name, subject: 'Hello' } }
    })
    return { body: { responses } }
  }
  if (pathname === '/v1.0/planner/tasks/t1' && method === 'GET') return { body: { id: 't1', '@odata.etag': 'W/"1"' } }
  if (pathname === '/v1.0/me/calendars') return { body: { value: [{ id: 'c1' }, { id: 'c2' }] } }
  if (method === 'PATCH' || method === 'DELETE') return { status: 204 }
  return { body: { value: [{ id: 'u1', displayName: 'Ada' }] } }
}

it('the path of an object keeps its slashes, and a window is a filter', async () => {
  await using opened = await openProvider('microsoft', graph)
  const { connector, seen } = opened
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }
  await connector.readPage({ object: 'me/messages', fields: ['subject'], ...window })
  expect(seen[0]?.url.pathname).toBe('/v1.0/me/messages')
  expect(seen[0]?.url.searchParams.get('$filter')).toBe(
    'lastModifiedDateTime ge 2026-01-01T00:00:00.000Z and lastModifiedDateTime le 2026-01-02T00:00:00.000Z',
  )
})

it('users are selected by the requested fields, without those that lists do not have', async () => {
  await using opened = await openProvider('microsoft', graph)
  const { connector, seen } = opened
  await connector.readPage({ object: 'users', fields: ['displayName', 'department', 'skills'] })
  await connector.readPage({ object: 'users', fields: 'all' })
  const selected = seen.map(({ url }) => url.searchParams.get('$select')?.split(',') ?? [])
  expect(selected[0]).toEqual(['id', 'displayName', 'department'])
  expect(selected[1]).toContain('userPrincipalName')
  expect(selected[1]).not.toContain('passwordProfile')
})

it('groups are selected by the requested fields, without those that only a single group has', async () => {
  await using opened = await openProvider('microsoft', graph)
  const { connector, seen } = opened
  await connector.readPage({ object: 'groups', fields: ['displayName', 'assignedLicenses', 'unseenCount'] })
  await connector.readPage({ object: 'groups', fields: 'all' })
  const selected = seen.map(({ url }) => url.searchParams.get('$select')?.split(',') ?? [])
  expect(selected[0]).toEqual(['id', 'displayName', 'assignedLicenses'])
  expect(selected[1]).toEqual(expect.arrayContaining(['assignedLabels', 'isManagementRestricted', 'visibility']))
  expect(selected[1]).not.toContain('allowExternalSenders')
})

it.each(['users', 'groups'])('%s read by id are selected as in lists', async (object) => {
  await using opened = await openProvider('microsoft', graph)
  const { connector, seen } = opened
  const fields = ['displayName', 'visibility', 'unseenCount', 'skills'] as const
  const left = object === 'groups' ? 'id,displayName,visibility,skills' : 'id,displayName,visibility,unseenCount'
  await connector.fetchRecord(object, 'a1', fields)
  expect(seen[0]?.url.searchParams.get('$select')).toBe(left)
  const found = await connector.fetchRecords(object, ['a1', 'a2'], fields)
  expect([...found.keys()]).toEqual(['a1', 'a2'])
  const { requests } = JSON.parse(seen[1]?.body ?? '') as { requests: { url: string }[] }
  expect(requests.map(({ url }) => url)).toEqual([`/${object}/a1?$select=${left}`, `/${object}/a2?$select=${left}`])
})

it('a message that does not exist is left out of a batch, and a limited batch is repeated', async () => {
  await using opened = await openProvider('microsoft', graph)
  const { connector } = opened
  const found = await connector.fetchRecords('me/messages', ['m1', 'gone'], ['subject'])
  expect([...found.keys()]).toEqual(['m1'])
  await expect(connector.fetchRecords('me/messages', ['m1', 'busy'], ['subject'])).rejects.toMatchObject({
    class: 'rate_limited',
  })
})

it('a planner task is changed in the version that it has', async () => {
  await using opened = await openProvider('microsoft', graph)
  const { connector, seen } = opened
  await connector.write({ object: 'me/planner/tasks', type: 'update', id: 't1', record: { title: 'Call' } })
  await connector.write({ object: 'me/planner/tasks', type: 'delete', id: 't1', record: {} })
  expect(asked(seen)).toEqual([
    'GET /v1.0/planner/tasks/t1',
    'PATCH /v1.0/planner/tasks/t1 {"title":"Call"}',
    'GET /v1.0/planner/tasks/t1',
    'DELETE /v1.0/planner/tasks/t1',
  ])
  expect(seen[1]?.headers['if-match']).toBe('W/"1"')
})

it('messages of Teams are read from each channel of each team, and from each chat in a window', async () => {
  const lists: Record<string, object[]> = {
    '/v1.0/me/joinedTeams': [{ id: 't1' }, { id: 't2' }],
    '/v1.0/teams/t1/channels': [{ id: 'c1' }, { id: 'private' }],
    '/v1.0/teams/t2/channels': [{ id: 'c2' }],
    '/v1.0/teams/t1/channels/c1/messages': [{ id: 'm1', subject: 'Hello', replies: [{ id: 'r1' }] }],
    '/v1.0/teams/t2/channels/c2/messages': [{ id: 'm1', subject: 'Bye', replies: [] }],
    '/v1.0/chats': [{ id: 'ch1' }],
    '/v1.0/chats/ch1/messages': [{ id: 'm2', chatId: 'ch1', body: { content: 'Hi' } }],
  }
  await using opened = await openProvider('microsoft', ({ method, url }) => {
    if (method === 'POST') return { status: 201, body: { id: 'm3' } }
    const value = lists[url.pathname]
    return value === undefined ? { status: 403, body: { error: { message: 'Not a member' } } } : { body: { value } }
  })
  const { connector, seen } = opened
  const all = async (object: string, window = {}) => {
    const records = []
    let page: string | undefined
    do {
      const read = await connector.readPage({ object, fields: 'all', ...window, ...(page && { page }) })
      records.push(...read.records)
      page = read.nextPage
    } while (page !== undefined)
    return records
  }
  expect((await all('channels/messages')).map(({ id, fields }) => [id, fields['subject']])).toEqual([
    ['t1/c1/m1', 'Hello'],
    ['t2/c2/m1', 'Bye'],
  ])
  expect(seen.find(({ url }) => url.pathname.endsWith('c1/messages'))?.url.search).toBe('?%24top=50&%24expand=replies')
  seen.length = 0
  const window = { since: new Date('2026-01-01T00:00:01Z'), until: new Date('2026-01-02T00:00:00Z') }
  expect((await all('chats/messages', window)).map(({ id }) => id)).toEqual(['ch1/m2'])
  expect(Object.fromEntries(seen.at(-1)?.url.searchParams ?? [])).toEqual({
    $top: '50',
    $orderby: 'lastModifiedDateTime desc',
    $filter: 'lastModifiedDateTime gt 2026-01-01T00:00:00.000Z and lastModifiedDateTime lt 2026-01-02T00:00:00.000Z',
  })
  const record = { chatId: 'ch1', body: { content: 'Hi' } }
  expect(await connector.write({ object: 'chats/messages', type: 'create', record })).toMatchObject({ success: true })
  expect(seen.at(-1)).toMatchObject({ url: { pathname: '/v1.0/chats/ch1/messages' } })
  expect(JSON.parse(seen.at(-1)?.body ?? '')).toEqual({ body: { content: 'Hi' } })
})

it('events of all calendars are listed by calendar, in the window', async () => {
  await using opened = await openProvider('microsoft', graph)
  const { connector, seen } = opened
  const request = { object: 'me/calendars/events', fields: ['calendarId'], since: new Date('2026-01-01T00:00:00Z') }
  const records = await readAll(connector, request)
  expect(records.map(({ id }) => id)).toEqual(['c1/u1', 'c2/u1'])
  const window = '$top=100&$filter=lastModifiedDateTime ge 2026-01-01T00:00:00.000Z'
  expect(asked(seen).slice(1)).toEqual([
    `GET /v1.0/me/calendars/c1/events?${window}`,
    `GET /v1.0/me/calendars/c2/events?${window}`,
  ])
})
