import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.clickup.com/reference shows as answers, as far as the provider file relies on it. */

const task = (id: string, date_updated: string) => ({ id, name: `Task ${id}`, date_updated, list: { id: '901' } })

function clickUp({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (pathname === '/api/v2/team') return { body: { teams: [{ id: '1', name: 'A' }] } }
  const isArchived = searchParams.get('archived') === 'true'
  if (pathname === '/api/v2/team/1/space')
    return { body: { spaces: isArchived ? [{ id: 's3' }] : [{ id: 's1' }, { id: 's2' }] } }
  if (pathname === '/api/v2/space/s3/folder') return { body: { folders: isArchived ? [] : [{ id: 'f3', lists: [] }] } }
  if (pathname === '/api/v2/space/s1/folder' && isArchived)
    return { body: { folders: [{ id: 'f4', lists: [{ id: 'l4' }] }] } }
  if (pathname === '/api/v2/space/s2/folder' && isArchived) return { body: { folders: [] } }
  if (pathname === '/api/v2/space/s1/folder')
    return { body: { folders: [{ id: 'f1', lists: [{ id: 'l1' }, { id: 'l2' }] }] } }
  if (pathname === '/api/v2/space/s2/folder') return { body: { folders: [{ id: 'f2', lists: [] }] } }
  if (pathname === '/api/v2/team/1/task') {
    for (const parameter of ['include_closed', 'subtasks'])
      if (searchParams.get(parameter) !== 'true') throw new Error(`${parameter} is missing`)
    if (searchParams.get('page') === '0')
      return { body: { tasks: [task('a', '1767312000000'), task('b', '1767312000001')], last_page: false } }
    return { body: { tasks: [task('c', '1767312000002')], last_page: true } }
  }
  if (method === 'POST' && pathname === '/api/v2/list/901/task') {
    const sent = JSON.parse(body) as { name?: string }
    return sent.name === undefined
      ? { status: 400, body: { err: 'Task name invalid', ECODE: 'INPUT_005' } }
      : { body: { ...task('d', '1'), ...sent } }
  }
  if (method === 'PUT' && pathname === '/api/v2/task/a') return { body: { ...task('a', '2'), ...JSON.parse(body) } }
  if (method === 'DELETE' && pathname === '/api/v2/task/a') return { status: 204 }
  return { status: 404, body: { err: 'Route not found', ECODE: 'APP_001' } }
}

it('tasks of each workspace are read to the last page, from page 0', async () => {
  await using provider = await openProvider('clickup', clickUp)
  const since = new Date('2026-01-02T00:00:00.000Z')
  const request = { object: 'tasks', fields: ['list_id', 'team_id'], since }
  const found = (await readAll(provider.connector, request)).map(({ id, fields }) => [
    id,
    fields['list_id'],
    fields['team_id'],
  ])
  expect(found).toEqual(['a', 'b', 'c'].map((id) => [id, '901', '1']))
  const pages = provider.seen.filter(({ url }) => url.pathname.endsWith('/task')).map(({ url }) => url.searchParams)
  expect(pages.map((query) => [query.get('page'), query.get('date_updated_gt')])).toEqual([
    ['0', '1767311999999'],
    ['1', '1767311999999'],
  ])
})

it('tasks are created in a list, changed and deleted; a refusal says why', async () => {
  await using provider = await openProvider('clickup', clickUp)
  const { connector, seen } = provider
  const record = { list_id: '901', name: 'New' }
  expect(await connector.write({ object: 'tasks', type: 'create', record })).toMatchObject({ recordId: 'd' })
  expect(seen[0]?.body).toBe('{"name":"New"}')
  const update = { object: 'tasks', type: 'update', id: 'a', record: { name: 'Other' } } as const
  expect(await connector.write(update)).toMatchObject({ recordId: 'a', data: { name: 'Other' } })
  await connector.write({ object: 'tasks', type: 'delete', id: 'a', record: {} })
  const refused = connector.write({ object: 'tasks', type: 'create', record: { list_id: '901' } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'Task name invalid' })
})

it('folders and their lists are those of all spaces, archived ones too', async () => {
  await using provider = await openProvider('clickup', clickUp)
  const folders = await readAll(provider.connector, { object: 'folders', fields: ['space_id', 'team_id'] })
  expect(folders.map(({ id, fields }) => [id, fields['space_id'], fields['team_id']])).toEqual([
    ['f1', 's1', '1'],
    ['f4', 's1', '1'],
    ['f2', 's2', '1'],
    ['f3', 's3', '1'],
  ])
  const lists = await readAll(provider.connector, { object: 'lists', fields: ['folder_id'] })
  expect(lists.map(({ id, fields }) => [id, fields['folder_id']])).toEqual([
    ['l1', 'f1'],
    ['l2', 'f1'],
    ['l4', 'f4'],
  ])
  const spaces = await readAll(provider.connector, { object: 'spaces', fields: ['team_id'] })
  expect(spaces.map(({ id, fields }) => [id, fields['team_id']])).toEqual(['s1', 's2', 's3'].map((id) => [id, '1']))
})

it('a personal token is sent without a prefix', async () => {
  const credential = { scheme: 'apiKey', apiKey: 'pk_1' } as const
  await using provider = await openProvider('clickup', clickUp, { credential })
  await provider.connector.readPage({ object: 'team', fields: [] })
  expect(provider.entry.authentication.map(({ scheme }) => scheme)).toEqual(['oauth2', 'apiKey'])
  expect(provider.seen[0]?.headers['authorization']).toBe('pk_1')
})

it('user groups and task types are those of each workspace; a group is written in its workspace', async () => {
  const answer = ({ method, url, body }: SeenRequest): Answer => {
    if (method === 'DELETE') return { body: {} }
    if (method !== 'GET') return { body: { id: 'g2', ...JSON.parse(body) } }
    if (url.pathname === '/api/v2/team') return { body: { teams: [{ id: '1' }, { id: '2' }] } }
    if (url.pathname === '/api/v2/group') return { body: { groups: [{ id: `g-${url.searchParams.get('team_id')}` }] } }
    return { body: { custom_items: url.pathname === '/api/v2/team/2/custom_item' ? [{ id: 1300, name: 'Bug' }] : [] } }
  }
  await using provider = await openProvider('clickup', answer)
  const { connector, seen } = provider
  const groups = await readAll(connector, { object: 'userGroups', fields: ['team_id'] })
  expect(groups.map(({ id, fields }) => [id, fields['team_id']])).toEqual([
    ['g-1', '1'],
    ['g-2', '2'],
  ])
  expect(await readAll(connector, { object: 'taskTypes', fields: [] })).toMatchObject([{ id: '1300' }])
  seen.length = 0
  await connector.write({ object: 'userGroups', type: 'create', record: { team_id: '2', name: 'QA', members: [1] } })
  await connector.write({ object: 'userGroups', type: 'update', id: 'g2', record: { name: 'Quality' } })
  await connector.write({ object: 'userGroups', type: 'delete', id: 'g2', record: {} })
  expect(asked(seen)).toEqual([
    'POST /api/v2/team/2/group {"name":"QA","members":[1]}',
    'PUT /api/v2/group/g2 {"name":"Quality"}',
    'DELETE /api/v2/group/g2',
  ])
})
