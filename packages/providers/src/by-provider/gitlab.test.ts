import { expect, it } from 'vitest'
import { parseEvents } from '../index.ts'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'
import { entryFor } from '../webhook-cases/webhook-case.testkit.ts'

/** What docs.gitlab.com/api shows as answers, as far as the provider file relies on it. */

const api = 'https://gitlab.com/api/v4'
const credential = { scheme: 'custom', values: { token: 'glpat-1' } } as const

function issue(iid: number) {
  return { id: 40 + iid, iid, project_id: 4, title: `Issue ${iid}`, state: 'opened' }
}

function gitlab({ method, url, body }: SeenRequest): Answer {
  const path = url.pathname.replace('/api/v4', '')
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const record = JSON.parse(body) as { title?: string }
    if (record.title === '') return { status: 400, body: { message: { title: ["can't be blank", 'is too short'] } } }
    return { status: method === 'POST' ? 201 : 200, body: { ...issue(14), ...record } }
  }
  switch (path) {
    case '/user':
      return { body: { id: 1, username: 'john_smith' } }
    case '/projects':
      if (url.searchParams.has('id_after')) return { body: [{ id: 5 }] }
      return {
        body: [{ id: 4, name: 'Diaspora Client' }],
        headers: { link: `<${api}/projects?id_after=4&pagination=keyset&per_page=100>; rel="next"` },
      }
    case '/projects/4/issues':
      if (url.searchParams.get('page') === '2') return { body: [issue(1)] }
      return { body: [issue(14)], headers: { link: `<${api}/projects/4/issues?page=2&per_page=100>; rel="next"` } }
    case '/projects/4/issues/14':
      return { body: issue(14) }
    case '/projects/4/repository/branches':
      return { body: [{ name: 'feature/x', default: false }] }
    case '/projects/5/issues':
      return { status: 403, body: { message: '403 Forbidden' } }
    case '/projects/5/repository/branches':
      return { status: 404, body: { message: '404 Repository Not Found' } }
    default:
      return { status: 404, body: { error: '404 Not Found' } }
  }
}

it('issues of every project are read page by page; what is hidden from the account is passed over', async () => {
  await using provider = await openProvider('gitlab', gitlab, { credential })
  const since = new Date('2026-01-01T00:00:00.500Z')
  const page = await provider.connector.readPage({ object: 'projects/issues', fields: ['title'], since })
  expect(page.records.map(({ id, fields }) => [id, fields['title']])).toEqual([
    ['4/14', 'Issue 14'],
    ['4/1', 'Issue 1'],
  ])
  expect(page.nextPage).toBeUndefined()
  const window = 'per_page=100&order_by=updated_at&sort=desc&updated_after=2026-01-01T00:00:00.499Z'
  const projects = 'membership=true&simple=true&pagination=keyset&order_by=id&sort=asc&per_page=100'
  expect(asked(provider.seen)).toEqual([
    `GET /api/v4/projects?${projects}`,
    `GET /api/v4/projects/4/issues?${window}`,
    'GET /api/v4/projects/4/issues?page=2&per_page=100',
    'GET /api/v4/projects?id_after=4&pagination=keyset&per_page=100',
    `GET /api/v4/projects/5/issues?${window}`,
  ])
  expect(provider.seen[0]?.headers['private-token']).toBe('glpat-1')
})

it('issues are searched over all projects, by what the API has a word for', async () => {
  const found: Answer = { body: [issue(14)] }
  await using provider = await openProvider('gitlab', () => found, { credential })
  const search = (field: string, value: string) =>
    provider.connector.search({
      object: 'projects/issues',
      fields: ['title'],
      filters: [{ field, operator: 'eq', value }],
    })
  expect((await search("$['author']['username']", 'root')).records).toMatchObject([{ id: '4/14' }])
  await expect(search('title', 'Issue 14')).rejects.toMatchObject({ class: 'bad_request' })
  expect(asked(provider.seen)).toEqual([
    'GET /api/v4/issues?per_page=100&order_by=created_at&sort=asc&scope=all&author_username=root',
  ])
})

it('branches say their project, and are known by it and their name', async () => {
  await using provider = await openProvider('gitlab', gitlab, { credential })
  const { records } = await provider.connector.readPage({ object: 'projects/branches', fields: ['name', 'project_id'] })
  expect(records).toMatchObject([{ id: '4/feature%2Fx', fields: { name: 'feature/x', project_id: 4 } }])
  await provider.connector.write({ object: 'projects/branches', type: 'delete', id: '4/feature%2Fx', record: {} })
  expect(provider.seen.at(-1)?.url.pathname).toBe('/api/v4/projects/4/repository/branches/feature%2Fx')
})

it('projects that changed are asked for newest first', async () => {
  await using provider = await openProvider('gitlab', gitlab, { credential })
  await provider.connector.readPage({ object: 'projects', fields: 'all', since: new Date('2026-01-01T00:00:00Z') })
  expect(asked(provider.seen)).toEqual([
    'GET /api/v4/projects?per_page=100&membership=true&order_by=updated_at&sort=desc&updated_after=2025-12-31T23:59:59.999Z',
  ])
})

it('an issue is made in the project that it names, fetched, changed and deleted by the id that reading gives', async () => {
  await using provider = await openProvider('gitlab', gitlab, { credential })
  const { connector } = provider
  const object = 'projects/issues'
  const record = { project_id: 4, title: 'Issues with auth', labels: 'bug' }
  expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: '4/14' })
  expect(await connector.fetchRecord(object, '4/14', ['iid'])).toMatchObject({ id: '4/14', fields: { iid: 14 } })
  await connector.write({ object, type: 'update', id: '4/14', record: { state_event: 'close' } })
  await connector.write({ object, type: 'delete', id: '4/14', record: {} })
  expect(asked(provider.seen)).toEqual([
    'POST /api/v4/projects/4/issues {"title":"Issues with auth","labels":"bug"}',
    'GET /api/v4/projects/4/issues/14',
    'PUT /api/v4/projects/4/issues/14 {"state_event":"close"}',
    'DELETE /api/v4/projects/4/issues/14',
  ])
})

it('every wrong field is named; a limit says how long to wait', async () => {
  await using provider = await openProvider('gitlab', gitlab, { credential })
  const object = 'projects/issues'
  await expect(
    provider.connector.write({ object, type: 'create', record: { project_id: 4, title: '' } }),
  ).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: "title: can't be blank" }, { message: 'title: is too short' }],
  })
  await using busy = await openProvider(
    'gitlab',
    () => ({ status: 429, headers: { 'retry-after': '40' }, body: 'Retry later' }),
    { credential },
  )
  await expect(busy.connector.readPage({ object: 'groups', fields: 'all' })).rejects.toMatchObject({
    class: 'rate_limited',
    retryAfterMs: 40_000,
  })
})

it('fields are known, the health check asks who one is, and an OAuth token is sent as such', async () => {
  await using provider = await openProvider('gitlab', gitlab)
  await provider.connector.checkHealth()
  expect(provider.seen.map(({ url, headers }) => [url.pathname, headers['authorization']])).toEqual([
    ['/api/v4/user', 'Bearer t1'],
  ])
  const { fields } = await provider.connector.describeObject('projects/merge_requests')
  expect(fields).toMatchObject({
    title: { valueType: 'string' },
    state: { valueType: 'singleSelect', readOnly: true },
    merged_at: { valueType: 'datetime' },
  })
  expect((await provider.connector.describeObject('projects')).fields['created_at']).toMatchObject({
    valueType: 'datetime',
  })
  expect(provider.entry.implemented).toMatchObject({ read: true, write: true, delete: true })
})

it('notes are read of the issues that changed, and written under their issue', async () => {
  const note = { id: 302, body: 'closed', project_id: 4, noteable_iid: 11, updated_at: '2026-01-02T00:00:00Z' }
  await using provider = await openProvider(
    'gitlab',
    ({ method, url }): Answer => {
      const path = url.pathname.replace('/api/v4', '')
      if (path === '/projects') return { body: [{ id: 4 }] }
      if (path === '/projects/4/issues') return { body: [{ id: 377, iid: 11, project_id: 4 }] }
      if (path === '/projects/4/issues/11/notes')
        return method === 'GET'
          ? { body: [note, { ...note, id: 301, updated_at: '2025-01-02T00:00:00Z' }] }
          : { status: 201, body: { ...note, id: 303 } }
      return { status: 404, body: { message: '404 Not found' } }
    },
    { credential },
  )
  const since = new Date('2026-01-01T00:00:00Z')
  const { records } = await provider.connector.readPage({ object: 'projects/issues/notes', fields: ['body'], since })
  expect(records).toMatchObject([{ id: '4/11/302', fields: { body: 'closed' } }])
  const record = { project_id: 4, noteable_iid: 11, body: 'Done' }
  const made = await provider.connector.write({ object: 'projects/issues/notes', type: 'create', record })
  expect(made).toMatchObject({ recordId: '4/11/303' })
  expect(asked(provider.seen).slice(1)).toEqual([
    'GET /api/v4/projects/4/issues?order_by=created_at&sort=asc&updated_after=2026-01-01T00:00:00.000Z&per_page=100',
    'GET /api/v4/projects/4/issues/11/notes?per_page=100&order_by=created_at&sort=asc',
    'POST /api/v4/projects/4/issues/11/notes {"body":"Done"}',
  ])
})

it('nothing is sent when the limit of the user is used up', async () => {
  const now = Date.parse('2026-11-26T00:00:00Z')
  const headers = { 'RateLimit-Remaining': '0', 'RateLimit-Reset': String(now / 1000 + 60) }
  await using provider = await openProvider('gitlab', () => ({ headers, body: [] }), { credential, now: () => now })
  await provider.connector.readPage({ object: 'namespaces', fields: 'all' })
  const second = provider.connector.readPage({ object: 'namespaces', fields: 'all' })
  await expect(second).rejects.toMatchObject({ class: 'rate_limited' })
  expect(provider.seen).toHaveLength(1)
})

it('events are those of all projects of the account', async () => {
  await using provider = await openProvider('gitlab', () => ({ body: [] }), { credential })
  await provider.connector.readPage({ object: 'events', fields: [] })
  expect(asked(provider.seen)).toEqual(['GET /api/v4/events?per_page=100&scope=all'])
})

it('pipelines are read with child pipelines, which a list has only if it is asked for them', async () => {
  const answer = ({ url }: SeenRequest): Answer => {
    if (url.pathname.endsWith('/projects')) return { body: [{ id: 4 }] }
    return { body: [{ id: url.searchParams.has('source') ? 48 : 47, project_id: 4 }] }
  }
  await using provider = await openProvider('gitlab', answer, { credential })
  const records = await readAll(provider.connector, { object: 'projects/pipelines', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['4/47', '4/48'])
  expect(asked(provider.seen).slice(1)).toEqual([
    'GET /api/v4/projects/4/pipelines?per_page=100&order_by=id&sort=asc',
    'GET /api/v4/projects/4/pipelines?per_page=100&order_by=id&sort=asc&source=parent_pipeline',
  ])
})

it('events of incidents and tasks, which are work items, are those of issues', async () => {
  const { webhooks } = (await entryFor('gitlab')).file ?? {}
  if (webhooks === undefined) throw new Error('no webhooks')
  const object_attributes = { id: 301, iid: 23, action: 'open', type: 'Incident' }
  const [event] = parseEvents(webhooks, { object_kind: 'work_item', project: { id: 4 }, object_attributes }, {})
  expect(event).toMatchObject({ name: 'work_item.open', id: '4/23' })
  expect(webhooks.objects?.['projects/issues']).toMatchObject({ create: ['issue.open', 'work_item.open'] })
  const objective = { object_kind: 'work_item', object_attributes: { ...object_attributes, type: 'Objective' } }
  expect(parseEvents(webhooks, objective, {})).toMatchObject([{ name: 'work_item.open.other' }])
})
