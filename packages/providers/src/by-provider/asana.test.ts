import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.asana.com/reference shows as answers, as far as the provider file relies on it. */

function asana({ url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (pathname === '/api/1.0/projects')
    return searchParams.get('offset') === null
      ? { body: { data: [{ gid: '1' }], next_page: { offset: 'next' } } }
      : { body: { data: [{ gid: '2' }], next_page: null } }
  if (pathname === '/api/1.0/tasks')
    return { body: { data: [{ gid: `task-of-${searchParams.get('project')}`, name: 'Write' }], next_page: null } }
  const project = /projects\/(\d)\/sections$/.exec(pathname)?.[1]
  if (project !== undefined)
    return { body: { data: [{ gid: `section-of-${project}`, name: 'Todo' }], next_page: null } }
  return { status: 404, body: { errors: [{ message: 'Not found' }] } }
}

async function idsOf(object: string, since?: Date) {
  await using provider = await openProvider('asana', asana)
  const more = { ...(since && { since }) }
  const ids = (await readAll(provider.connector, { object, fields: ['name'], ...more })).flatMap(({ id }) => id ?? [])
  return { ids, requests: asked(provider.seen) }
}

it('tasks are read for each project, those that were modified', async () => {
  const { ids, requests } = await idsOf('tasks', new Date('2026-01-01T00:00:00Z'))
  expect(ids).toEqual(['task-of-1', 'task-of-2'])
  const windows = requests.filter((path) => path.includes('/tasks?'))
  expect(windows).toHaveLength(2)
  for (const path of windows) expect(path).toContain('modified_since=2026-01-01T00:00:00')
})

it.each(['tasks', 'projects'])('fields of %s are those of a record that is requested by its id', async (object) => {
  await using provider = await openProvider('asana', (request): Answer => {
    const id = new RegExp(`/${object}/(.+)$`).exec(request.url.pathname)?.[1]
    const record = { gid: id, name: 'Write', completed: false, notes: '', assignee: null }
    return id === undefined ? asana(request) : { body: { data: record } }
  })
  const { fields } = await provider.connector.describeObject(object)
  expect(Object.keys(fields)).toEqual(expect.arrayContaining(['gid', 'name', 'completed', 'notes', 'assignee']))
  expect(fields['completed']?.valueType).toBe('boolean')
  await provider.connector.readPage({ object, fields: 'all' })
  expect(provider.seen.at(-1)?.url.searchParams.get('opt_fields')).toContain('completed,notes,assignee')
})

it('sections are read for each project', async () => {
  const { ids } = await idsOf('sections')
  expect(ids).toEqual(['section-of-1', 'section-of-2'])
})

it('subtasks are read of each task that has some, to any depth', async () => {
  const lists: Record<string, object[]> = {
    '/api/1.0/projects': [{ gid: '1' }],
    '/api/1.0/tasks': [
      { gid: '10', num_subtasks: 2 },
      { gid: '11', num_subtasks: 0 },
    ],
    '/api/1.0/tasks/10/subtasks': [
      { gid: '20', parent: { gid: '10' }, num_subtasks: 1, modified_at: '2026-01-02T00:00:00Z' },
      { gid: '21', num_subtasks: 0, modified_at: '2025-01-02T00:00:00Z' },
    ],
    '/api/1.0/tasks/20/subtasks': [
      { gid: '30', parent: { gid: '20' }, num_subtasks: 0, modified_at: '2026-01-03T00:00:00Z' },
    ],
  }
  await using provider = await openProvider('asana', ({ url }): Answer => {
    const data = lists[url.pathname]
    return data ? { body: { data, next_page: null } } : { status: 404, body: { errors: [{ message: 'Not found' }] } }
  })
  const read = { object: 'subtasks', fields: ['name', 'parent_task'] }
  const found = await readAll(provider.connector, { ...read, since: new Date('2026-01-01T00:00:00Z') })
  expect(found.map(({ id, fields }) => [id, fields['parent_task']])).toEqual([
    ['20', '10'],
    ['30', '20'],
  ])
  expect(asked(provider.seen)).toEqual([
    'GET /api/1.0/projects?limit=100',
    'GET /api/1.0/tasks?project=1&opt_fields=num_subtasks&limit=100',
    'GET /api/1.0/tasks/10/subtasks?opt_fields=modified_at,num_subtasks,parent,name&limit=100',
    'GET /api/1.0/tasks/20/subtasks?opt_fields=modified_at,num_subtasks,parent,name&limit=100',
  ])
})

it('teams and custom fields are read for each workspace that has some, and sections are written', async () => {
  await using provider = await openProvider('asana', ({ method, url }): Answer => {
    if (method === 'POST') return { status: 201, body: { data: { gid: '9', name: 'Done' } } }
    const [workspace = '', gid] = url.pathname.split('/').slice(-2)
    const isOrganization = (id: string) => ({ gid: id, is_organization: id === 'w' })
    if (gid === 'workspaces') return { body: { data: ['free', 'w'].map(isOrganization), next_page: null } }
    if (workspace === 'free') return { status: gid === 'teams' ? 400 : 402, body: { errors: [{ message: 'Refused' }] } }
    return { body: { data: [{ gid }], next_page: null } }
  })
  const idsNow = async (object: string) =>
    (await readAll(provider.connector, { object, fields: ['name'] })).map(({ id }) => id)
  expect(await idsNow('teams')).toEqual(['teams'])
  expect(await idsNow('custom_fields')).toEqual(['custom_fields'])
  await provider.connector.write({ object: 'sections', type: 'create', record: { name: 'Done', project: '1' } })
  expect(asked(provider.seen).slice(-1)).toEqual(['POST /api/1.0/projects/1/sections {"data":{"name":"Done"}}'])
  expect(asked(provider.seen)).toContain('GET /api/1.0/workspaces/w/teams?opt_fields=name&limit=100')
})
