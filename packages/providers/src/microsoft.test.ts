import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider } from './testing/open-provider.testkit.ts'

/** Responses that learn.microsoft.com/graph shows, as far as the provider file relies on them. */

function graph({ method, url: { pathname }, body }: SeenRequest): Answer {
  if (pathname === '/v1.0/$batch') {
    const { requests } = JSON.parse(body) as { requests: { id: string; url: string }[] }
    const responses = requests.map(({ id, url }) => {
      const name = url.replace('/me/messages/', '')
      if (name === 'gone') return { id, status: 404, body: { error: { code: 'ErrorItemNotFound', message: 'Gone' } } }
      if (name === 'busy') return { id, status: 429, body: { error: { code: 'TooManyRequests', message: 'Wait' } } }
      return { id, status: 200, body: { id: name, subject: 'Hello' } }
    })
    return { body: { responses } }
  }
  if (pathname === '/v1.0/planner/tasks/t1' && method === 'GET') return { body: { id: 't1', '@odata.etag': 'W/"1"' } }
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
