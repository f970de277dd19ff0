import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.todoist.com/api/v1 shows as answers, as far as the provider file relies on it. */

function todoist({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { status: 204 }
  if (method === 'POST') {
    const sent = JSON.parse(body) as { content?: string }
    return sent.content === ''
      ? { status: 400, body: { error: 'Required argument is missing', error_code: 19, http_code: 400 } }
      : { body: { id: '6X7', ...sent } }
  }
  if (pathname === '/api/v1/tasks/completed/by_completion_date') {
    const [since, until] = ['since', 'until'].map((name) => Date.parse(searchParams.get(name) ?? ''))
    const days = ((until ?? Number.NaN) - (since ?? Number.NaN)) / 86_400_000
    return days <= 90 ? { body: { items: [{ id: `d${Math.round(days)}` }], next_cursor: null } } : { status: 400 }
  }
  if (pathname === '/api/v1/projects') return { body: { results: [{ id: 'p1' }, { id: 'p2' }], next_cursor: null } }
  if (pathname === '/api/v1/comments') {
    const id = `c-${searchParams.get('project_id')}`
    return { body: { results: [{ id, content: 'x' }], next_cursor: null } }
  }
  const last = searchParams.has('cursor')
  const updated_at = last ? '2026-01-02T00:00:00.000000Z' : '2020-01-01T00:00:00.000000Z'
  return { body: { results: [{ id: last ? 't2' : 't1', updated_at }], next_cursor: last ? null : 'n2' } }
}

it('tasks are read to the last page, those that changed', async () => {
  await using provider = await openProvider('todoist', todoist)
  const since = new Date('2026-01-01T00:00:00Z')
  const records = await readAll(provider.connector, { object: 'tasks', fields: [], since })
  expect(records.map(({ id }) => id)).toEqual(['t2'])
  expect(asked(provider.seen)).toEqual(['GET /api/v1/tasks?limit=200', 'GET /api/v1/tasks?limit=200&cursor=n2'])
})

it('comments are those of every project', async () => {
  await using provider = await openProvider('todoist', todoist)
  const records = await readAll(provider.connector, { object: 'comments', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['c-p1', 'c-p2'])
})

it('tasks are created, changed and deleted; a refusal says why', async () => {
  await using provider = await openProvider('todoist', todoist)
  const { connector } = provider
  const object = 'tasks'
  const record = { content: 'Buy milk' }
  expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: '6X7' })
  await connector.write({ object, type: 'update', id: '6X7', record })
  await connector.write({ object, type: 'delete', id: '6X7', record: {} })
  expect(asked(provider.seen)).toEqual([
    'POST /api/v1/tasks {"content":"Buy milk"}',
    'POST /api/v1/tasks/6X7 {"content":"Buy milk"}',
    'DELETE /api/v1/tasks/6X7',
  ])
  const refused = connector.write({ object, type: 'create', record: { content: '' } })
  await expect(refused).rejects.toMatchObject({ providerMessage: 'Required argument is missing' })
})

it('completed tasks are listed by the time of their completion, for some months at a time', async () => {
  await using provider = await openProvider('todoist', todoist)
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-04-11T00:00:00Z') }
  const records = await readAll(provider.connector, { object: 'tasks/completed', fields: [], ...window })
  expect(records.map(({ id }) => id)).toEqual(['d80', 'd20'])
})
