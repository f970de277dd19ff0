import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What github.com/basecamp/bc3-api shows as answers, as far as the provider file relies on it. */

const todo = (id: number, updated_at: string) => ({ id, type: 'Todo', content: `To-do ${id}`, updated_at })

function basecamp({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const path = pathname.replace('/999999999', '')
  if (path === '/projects/recordings.json') {
    if (searchParams.get('type') !== 'Todo') return { status: 400, body: { error: 'type is missing' } }
    const trashed = [todo(9, '2026-01-03T00:00:00.000Z'), todo(8, '2025-12-01T00:00:00.000Z')]
    if (searchParams.get('status') !== 'active')
      return { body: searchParams.get('status') === 'trashed' ? trashed : [] }
    if (searchParams.get('page') === '2') return { body: [todo(1, '2026-01-01T00:00:00.000Z')] }
    const link = `<https://3.basecampapi.com${pathname}${url.search}&page=2>; rel="next"`
    const todos = [todo(3, '2026-01-03T00:00:00.000Z'), todo(2, '2026-01-02T00:00:00.000Z')]
    return { headers: { link, 'x-total-count': '3' }, body: todos }
  }
  if (method === 'POST' && path === '/todolists/7/todos.json') {
    const sent = JSON.parse(body) as { content?: string }
    if (sent.content === undefined) return { status: 422, body: { error: 'Content is missing.' } }
    return { status: 201, body: { ...todo(4, '2026-01-04T00:00:00.000Z'), ...sent } }
  }
  return path === '/recordings/4/status/trashed.json' && method === 'PUT' ? { status: 204 } : { status: 404 }
}

const options = { metadata: { workspace: '999999999' } }

async function idsOf(since?: Date) {
  await using provider = await openProvider('basecamp', basecamp, options)
  const more = { ...(since && { since }) }
  const ids = (await readAll(provider.connector, { object: 'todos', fields: ['content'], ...more })).map(({ id }) => id)
  return { ids, requests: asked(provider.seen) }
}

it('to-dos of all projects are read to the page without a link', async () => {
  const { ids, requests } = await idsOf()
  expect(ids).toEqual(['3', '2', '1'])
  expect(requests).toEqual([
    'GET /999999999/projects/recordings.json?type=Todo&status=active',
    'GET /999999999/projects/recordings.json?type=Todo&status=active&page=2',
    'GET /999999999/projects/recordings.json?type=Todo&status=archived',
  ])
})

it('a window starts with the newest change and ends with the first that is older', async () => {
  const { ids, requests } = await idsOf(new Date('2026-01-02T12:00:00Z'))
  expect(ids).toEqual(['3'])
  expect(requests).toEqual([
    'GET /999999999/projects/recordings.json?type=Todo&status=active&sort=updated_at&direction=desc',
    'GET /999999999/projects/recordings.json?type=Todo&status=archived&sort=updated_at&direction=desc',
  ])
})

it('to-dos are created in a list and moved to the trash; a refusal says why', async () => {
  await using provider = await openProvider('basecamp', basecamp, options)
  const { connector, seen } = provider
  const record = { parent_id: 7, content: 'Write' }
  expect(await connector.write({ object: 'todos', type: 'create', record })).toMatchObject({ recordId: '4' })
  expect(seen[0]?.body).toBe('{"content":"Write"}')
  await connector.write({ object: 'todos', type: 'delete', id: '4', record: {} })
  const refused = connector.write({ object: 'todos', type: 'create', record: { parent_id: 7 } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'Content is missing.' })
})

it('what was trashed since is a deletion', async () => {
  await using provider = await openProvider('basecamp', basecamp, options)
  const request = { object: 'todos', fields: ['content'], since: new Date('2026-01-02T12:00:00Z'), deletions: true }
  const found = await readAll(provider.connector, request)
  expect(found.map(({ id, deleted }) => `${deleted ? '-' : ''}${id}`)).toEqual(['3', '-9'])
})

it('archived projects are read, and those in the trash are deleted', async () => {
  const project = (id: number) => ({ id, name: `Project ${id}`, updated_at: '2026-01-03T00:00:00.000Z' })
  const lists: Record<string, unknown[]> = { active: [project(1)], archived: [project(2)], trashed: [project(3)] }
  const answer = ({ url }: SeenRequest): Answer => ({ body: lists[url.searchParams.get('status') ?? ''] })
  await using provider = await openProvider('basecamp', answer, options)
  const request = { object: 'projects', fields: ['name'], since: new Date('2026-01-01T00:00:00Z'), deletions: true }
  const records = await readAll(provider.connector, request)
  expect(records.map(({ id, deleted }) => [id, deleted === true])).toEqual([
    ['1', false],
    ['2', false],
    ['3', true],
  ])
})
