import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

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

it('sections are read for each project', async () => {
  const { ids } = await idsOf('sections')
  expect(ids).toEqual(['section-of-1', 'section-of-2'])
})
