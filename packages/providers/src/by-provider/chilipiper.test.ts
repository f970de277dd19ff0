import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

function chiliPiper({ method, url }: SeenRequest): Answer {
  if (method !== 'GET') return { body: { id: 't1', name: 'Sales' } }
  const page = Number(url.searchParams.get('page'))
  const results = Array.from({ length: page === 0 ? 50 : 1 }, (_, index) => ({ id: `${page}-${index}` }))
  return { body: { total: 51, page, pageSize: 50, results } }
}

it('users are read from page 0 to the last page', async () => {
  await using provider = await openProvider('chilipiper', chiliPiper)
  const first = await provider.connector.readPage({ object: 'workspace_users', fields: [] })
  const last = await provider.connector.readPage({ object: 'workspace_users', fields: [], page: first.nextPage ?? '' })
  expect(first).toMatchObject({ total: 51, records: { length: 50 } })
  expect(last).toMatchObject({ records: [{ id: '1-0' }], nextPage: undefined })
  expect(asked(provider.seen)).toEqual([
    'GET /api/fire-edge/v1/org/workspace/users?page=0&pageSize=50',
    'GET /api/fire-edge/v1/org/workspace/users?page=1&pageSize=50',
  ])
})

it('teams are created and deleted', async () => {
  await using provider = await openProvider('chilipiper', chiliPiper)
  const record = { workspaceId: 'w1', name: 'Sales' }
  expect(await provider.connector.write({ object: 'team', type: 'create', record })).toMatchObject({ recordId: 't1' })
  await provider.connector.write({ object: 'team', type: 'delete', id: 't1', record: {} })
  expect(asked(provider.seen)).toEqual([
    'POST /api/fire-edge/v2/org/team/create {"workspaceId":"w1","name":"Sales"}',
    'DELETE /api/fire-edge/v2/org/team/t1',
  ])
})

it('an empty list need not be in the answer', async () => {
  const credential = { scheme: 'apiKey', apiKey: 'key' } as const
  const answer = () => ({ body: { total: 0, page: 0, pageSize: 50 } })
  await using provider = await openProvider('chilipiper', answer, { credential })
  const read = await provider.connector.readPage({ object: 'team', fields: [] })
  expect(read).toMatchObject({ records: [], nextPage: undefined })
})

it('an answer of another form is an error, not an empty list', async () => {
  const answer = () => ({ body: { total: 2, page: 0, pageSize: 50, items: [{ id: 'a' }, { id: 'b' }] } })
  await using provider = await openProvider('chilipiper', answer)
  const read = provider.connector.readPage({ object: 'team', fields: [] })
  await expect(read).rejects.toMatchObject({ class: 'unexpected_response' })
})
