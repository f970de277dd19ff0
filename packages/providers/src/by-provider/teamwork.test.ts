import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What apidocs.teamwork.com shows as answers, as far as the provider file relies on it. */

function teamwork({ method, url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'GET' && pathname === '/projects/api/v3/tasks.json') {
    const page = Number(searchParams.get('page'))
    const completed = searchParams.get('includeCompletedTasks') === 'true'
    const tasks = page === 1 ? [{ id: 1, status: 'new' }] : completed ? [{ id: 2, status: 'completed' }] : []
    return { body: { tasks, meta: { page: { hasMore: page === 1 } } } }
  }
  if (method === 'POST' && pathname === '/projects/7/milestones.json')
    return { status: 201, body: { milestoneId: '31', STATUS: 'OK' } }
  if (method === 'POST' && pathname === '/projectcategories.json')
    return { status: 201, body: { categoryId: '32', STATUS: 'OK' } }
  if (method === 'POST' && pathname === '/projects/api/v3/me/timers.json')
    return { status: 201, body: { timer: { id: 33 } } }
  if (method === 'PUT') return { body: { STATUS: 'OK', timer: { id: 33 } } }
  if (method === 'DELETE') return { body: { STATUS: 'OK' } }
  return { status: 404, body: { errors: [{ title: 'Not Found', detail: pathname }] } }
}

const options = { metadata: { workspace: 'acme' } }

it('completed tasks are read, too', async () => {
  await using provider = await openProvider('teamwork', teamwork, options)
  const read = { object: 'tasks', fields: ['status'], since: new Date('2026-01-02T03:04:05Z') }
  expect((await readAll(provider.connector, read)).map(({ id }) => id)).toEqual(['1', '2'])
  expect(asked(provider.seen)[0]).toBe(
    'GET /projects/api/v3/tasks.json?page=1&pageSize=500&updatedAfter=2026-01-02T03:04:04Z&orderBy=id&includeArchivedProjects=true&includeTentativeProjects=true&includeCompletedTasks=true&showCompletedLists=true',
  )
})

it.each([
  ['milestones', { projectId: 7, title: 'Beta' }, '/projects/7/milestones.json', '/milestones', 'milestone', '31'],
  ['projectcategories', { name: 'Web' }, '/projectcategories.json', '/projectcategories', 'category', '32'],
  ['timers', { taskId: 5 }, '/projects/api/v3/me/timers.json', '/projects/api/v3/me/timers', 'timer', '33'],
] as const)('%s are written where Teamwork has them', async (object, record, created, path, one, id) => {
  await using provider = await openProvider('teamwork', teamwork, options)
  const { connector, seen } = provider
  expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: id })
  await connector.write({ object, type: 'update', id, record: { description: 'x' } })
  await connector.write({ object, type: 'delete', id, record: {} })
  const { projectId: _, ...values } = { projectId: 0, ...record }
  expect(asked(seen)).toEqual([
    `POST ${created} ${JSON.stringify({ [one]: values })}`,
    `PUT ${path}/${id}.json {"${one}":{"description":"x"}}`,
    `DELETE ${path}/${id}.json`,
  ])
})

it('dashboards are only read', async () => {
  await using provider = await openProvider('teamwork', teamwork, options)
  const write = provider.connector.write({ object: 'dashboards', type: 'create', record: { name: 'Mine' } })
  await expect(write).rejects.toMatchObject({ class: 'unsupported_object' })
})

it('archived and tentative projects are listed, too', async () => {
  await using provider = await openProvider(
    'teamwork',
    () => ({ body: { projects: [{ id: 7 }], meta: { page: { hasMore: false } } } }),
    options,
  )
  await provider.connector.readPage({ object: 'projects', fields: ['name'] })
  expect(asked(provider.seen)).toEqual([
    'GET /projects/api/v3/projects.json?page=1&pageSize=500&includeArchivedProjects=true&includeTentativeProjects=true',
  ])
})

it.each([
  ['comments', 'includeArchivedProjects'],
  ['messages', 'includeArchivedProjects'],
  ['milestones', 'includeArchivedProjects'],
  ['notebooks', 'includeArchivedProjects'],
  ['risks', 'includeArchivedProjects'],
  ['tasklists', 'includeArchivedProjects'],
  ['tasklists', 'showCompleted'],
  ['tasks', 'includeArchivedProjects'],
  ['tasks', 'includeTentativeProjects'],
])('%s that Teamwork leaves out by default are read, too', async (object, parameter) => {
  const list = ({ url }: SeenRequest): Answer => {
    const all = url.searchParams.get(parameter) === 'true'
    return { body: { [object]: all ? [{ id: 1 }, { id: 2 }] : [{ id: 1 }], meta: { page: { hasMore: false } } } }
  }
  await using provider = await openProvider('teamwork', list, options)
  const read = { object, fields: [], since: new Date('2026-01-02T03:04:05Z') }
  expect((await readAll(provider.connector, read)).map(({ id }) => id)).toEqual(['1', '2'])
  expect(asked(provider.seen)[0]).toContain('updatedAfter=2026-01-02T03:04:04Z')
})

it('time of archived projects is read, too', async () => {
  await using provider = await openProvider('teamwork', () => ({ body: { timelogs: [], meta: {} } }), options)
  await provider.connector.readPage({ object: 'time', fields: [] })
  expect(provider.seen[0]?.url.searchParams.get('includeArchivedProjects')).toBe('true')
})

it('tasks that were deleted in a window are reported', async () => {
  const meta = { page: { hasMore: false } }
  const deleted = [
    { id: 2, deletedAt: '2026-01-02T05:00:00Z' },
    { id: 3, deletedAt: '2026-01-01T05:00:00Z' },
    { id: 4, deletedAt: null },
  ]
  const tasks = ({ url: { searchParams } }: SeenRequest): Answer => ({
    body: { tasks: searchParams.get('deletedOnly') === 'true' ? deleted : [{ id: 1 }], meta },
  })
  await using provider = await openProvider('teamwork', tasks, options)
  const since = new Date('2026-01-02T03:04:05Z')
  const found = await readAll(provider.connector, { object: 'tasks', fields: [], since, deletions: true })
  expect(found.map(({ id, deleted = false }) => [id, deleted])).toEqual([
    ['1', false],
    ['2', true],
  ])
  expect(Object.fromEntries(provider.seen[1]?.url.searchParams ?? [])).toMatchObject({
    deletedAfter: '2026-01-02T03:04:04Z',
    showDeleted: 'true',
    includeTasksFromDeletedLists: 'true',
  })
  expect(provider.seen[1]?.url.searchParams.has('updatedAfter')).toBe(false)
})
