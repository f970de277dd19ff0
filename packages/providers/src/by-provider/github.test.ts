import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What docs.github.com/rest shows as answers, as far as the provider file relies on it. */

const api = 'https://api.github.com'
const octocat = { login: 'octocat', id: 1 }
const hello = { id: 1296269, name: 'Hello-World', full_name: 'octocat/Hello-World', owner: octocat }
const empty = { id: 1296270, name: 'empty', full_name: 'octocat/empty', owner: octocat }

function issue(number: number, updated_at = '2026-01-02T00:00:00Z') {
  return { id: 1000 + number, number, title: `Issue ${number}`, state: 'open', user: octocat, updated_at }
}

function github({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method !== 'GET') {
    if (method === 'DELETE') return { status: 204 }
    const record = JSON.parse(body) as { title?: string }
    if (method === 'POST' && record.title === undefined) {
      const errors = [{ resource: 'Issue', field: 'title', code: 'missing_field' }]
      return { status: 422, body: { message: 'Validation Failed', errors, status: '422' } }
    }
    return { status: method === 'POST' ? 201 : 200, body: { ...issue(1347), ...record } }
  }
  switch (pathname) {
    case '/user':
      return { body: octocat }
    case '/user/repos': {
      if (searchParams.get('page') === '2') return { body: [empty] }
      return { body: [hello], headers: { link: `<${api}/user/repos?per_page=100&page=2>; rel="next"` } }
    }
    case '/issues':
      return { body: [{ ...issue(7), repository: hello }] }
    case '/repos/octocat/Hello-World':
      return { body: hello }
    case '/repositories/1296269/issues':
      if (searchParams.get('page') === '2') return { body: [issue(1348)] }
      return {
        body: [issue(1347)],
        headers: {
          link: `<${api}/repositories/1296269/issues?page=2>; rel="next", <${api}/repositories/1296269/issues?page=2>; rel="last"`,
        },
      }
    case '/repositories/1296269/issues/1347':
      return { body: issue(1347) }
    case '/repositories/1296269/pulls':
      if (searchParams.get('page') === '2') return { body: [] }
      return {
        body: [issue(3), issue(2, '2020-01-01T00:00:00Z')],
        headers: { link: `<${api}/repositories/1296269/pulls?page=2>; rel="next"` },
      }
    case '/repositories/1296269/commits':
      return { body: [{ sha: '6dcb09b', commit: { message: 'Fix all the bugs' } }] }
    case '/repositories/1296270/commits':
      return { status: 409, body: { message: 'Git Repository is empty.' } }
    case '/repositories/1296270/issues':
      return { status: 410, body: { message: 'Issues has been disabled in this repository.' } }
    default:
      return { body: [] }
  }
}

it('issues of every repository are read page by page, each with its repository and an id of its own', async () => {
  await using provider = await openProvider('github', github)
  const { records, nextPage } = await provider.connector.readPage({
    object: 'repos/issues',
    fields: ['title', 'owner', 'repo'],
    since: new Date('2026-01-01T00:00:00.500Z'),
  })
  expect(nextPage).toBeUndefined()
  expect(records.map(({ id, fields }) => [id, fields])).toEqual([
    ['1296269/1347', { title: 'Issue 1347', owner: 'octocat', repo: 'Hello-World' }],
    ['1296269/1348', { title: 'Issue 1348', owner: 'octocat', repo: 'Hello-World' }],
  ])
  expect(asked(provider.seen)).toEqual([
    'GET /user/repos?per_page=100',
    'GET /repositories/1296269/issues?per_page=100&state=all&sort=created&direction=asc&since=2025-12-31T23:59:59Z',
    'GET /repositories/1296269/issues?page=2',
    'GET /user/repos?per_page=100&page=2',
    'GET /repositories/1296270/issues?per_page=100&state=all&sort=created&direction=asc&since=2025-12-31T23:59:59Z',
  ])
  const { authorization, accept } = provider.seen[0]?.headers ?? {}
  expect({ authorization, accept, version: provider.seen[0]?.headers['x-github-api-version'] }).toEqual({
    authorization: 'Bearer t1',
    accept: 'application/vnd.github+json',
    version: '2022-11-28',
  })
})

it('pull requests that changed are read newest first, up to the window; a repository without commits has none', async () => {
  await using provider = await openProvider('github', github)
  const since = new Date('2026-01-01T00:00:00Z')
  const pulls = await provider.connector.readPage({ object: 'repos/pulls', fields: 'all', since })
  expect(pulls.records.map(({ id }) => id)).toEqual(['1296269/3'])
  expect(asked(provider.seen).filter((line) => line.includes('1296269'))).toEqual([
    'GET /repositories/1296269/pulls?per_page=100&state=all&sort=updated&direction=desc',
  ])
  const commits = await provider.connector.readPage({ object: 'repos/commits', fields: ['sha'], since })
  expect(commits.records.map(({ id }) => id)).toEqual(['1296269/6dcb09b'])
})

it('an issue of the account is known by its repository and number, is fetched and changed by them', async () => {
  await using provider = await openProvider('github', github)
  const { records } = await provider.connector.readPage({ object: 'issues', fields: ['title'] })
  expect(records[0]).toMatchObject({ id: '1296269/7', fields: { title: 'Issue 7' } })
  const id = '1296269/1347'
  expect(await provider.connector.fetchRecord('repos/issues', id, ['title'])).toMatchObject({
    fields: { title: 'Issue 1347' },
  })
  await provider.connector.write({ object: 'issues', type: 'update', id, record: { state: 'closed' } })
  expect(asked(provider.seen).slice(1)).toEqual([
    'GET /repositories/1296269/issues/1347',
    'PATCH /repositories/1296269/issues/1347 {"state":"closed"}',
  ])
})

const found = (kind: 'issues' | 'pull', number: number) => {
  const { title, state, user, id } = issue(number)
  const html_url = `https://github.com/octocat/Hello-World/${kind}/${number}`
  const comments_url = `${api}/repos/octocat/Hello-World/issues/${number}/comments`
  return { id, number, title, state, user, html_url, comments_url, score: 1 }
}

/** What the search of GraphQL answers. */
const nodes = (...numbers: number[]) => ({
  data: {
    search: {
      pageInfo: { endCursor: null, hasNextPage: false },
      nodes: numbers.map((number) => ({ number, repository: { databaseId: 1296269 } })),
    },
  },
})

it('issues are searched by the qualifiers of GitHub, each with its repository and the id that reading gives', async () => {
  await using provider = await openProvider('github', ({ url }): Answer => {
    if (url.pathname === '/repositories/1296269/issues/7') return { body: found('issues', 7) }
    if (url.pathname === '/graphql') return { body: nodes(7) }
    return { body: { total_count: 1, items: [hello] } }
  })
  const search = async (object: string, ...filters: [string, string | boolean][]) =>
    provider.connector.search({
      object,
      fields: ['title', 'repo', 'full_name'],
      filters: filters.map(([field, value]) => ({ field, operator: 'eq', value })),
    })
  const { records } = await search(
    'repos/issues',
    ['full_name', 'octocat/Hello-World'],
    ['labels', 'help wanted" is:pr'],
    ["$['user']['login']", 'octocat'],
  )
  expect(records).toMatchObject([
    {
      id: '1296269/7',
      fields: { title: 'Issue 7', repo: 'Hello-World', full_name: 'octocat/Hello-World' },
    },
  ])
  await expect(search('repos/issues', ['title', 'Issue 7'])).rejects.toMatchObject({ class: 'bad_request' })
  expect((await search('repos', ['language', 'c++'], ['archived', false])).records).toMatchObject([{ id: '1296269' }])
  const [first, , repositories] = provider.seen
  expect([first?.method, first?.url.pathname, first?.url.search]).toEqual(['POST', '/graphql', ''])
  expect(JSON.parse(first?.body ?? '')).toEqual({
    query: expect.stringContaining('search(query: $q, type: ISSUE') as string,
    variables: {
      q: 'is:issue repo:"octocat/Hello-World" label:"help wanted\\" is:pr" author:"octocat" sort:updated-desc',
      first: 30,
    },
  })
  expect([repositories?.url.pathname, Object.fromEntries(repositories?.url.searchParams ?? [])]).toEqual([
    '/search/repositories',
    { q: 'fork:true language:"c++" archived:false', sort: 'updated', order: 'desc', per_page: '100' },
  ])
})

it.each([
  ['RATE_LIMITED', 'rate_limited'],
  ['FORBIDDEN', 'forbidden'],
])('a search that GitHub refuses with status 200 and %s fails', async (type, expected) => {
  const body = { data: null, errors: [{ type, message: 'No.' }] }
  await using provider = await openProvider('github', () => ({ body }))
  const filters = [{ field: 'state', operator: 'eq', value: 'open' }] as const
  const search = provider.connector.search({ object: 'repos/issues', fields: ['title'], filters })
  await expect(search).rejects.toMatchObject({ class: expected })
})

it('a search for pull requests reads each of them', async () => {
  const pull = { ...found('pull', 3), id: 3000, base: { ref: 'main' }, head: { ref: 'topic' } }
  await using provider = await openProvider('github', ({ url }): Answer => {
    switch (url.pathname) {
      case '/graphql':
        return { body: nodes(3, 4) }
      case '/repositories/1296269/pulls/3':
        return { body: pull }
      default:
        return { status: 404, body: { message: 'Not Found' } }
    }
  })
  const filters = [
    { field: 'draft', operator: 'eq', value: false },
    { field: "$['base']['ref']", operator: 'eq', value: 'main' },
  ] as const
  const { records } = await provider.connector.search({
    object: 'repos/pulls',
    fields: ['id', 'head', 'owner'],
    filters,
  })
  expect(records).toEqual([
    {
      id: '1296269/3',
      fields: { id: 3000, head: { ref: 'topic' }, owner: 'octocat' },
      raw: pull,
    },
  ])
  expect(JSON.parse(provider.seen[0]?.body ?? '').variables.q).toBe('is:pr draft:false base:"main" sort:updated-desc')
  expect(asked(provider.seen).slice(1)).toEqual([
    'GET /repositories/1296269/pulls/3',
    'GET /repositories/1296269/pulls/4',
  ])
})

it('records are made in the repository that they name, changed and deleted by the id that reading gives', async () => {
  await using provider = await openProvider('github', github)
  const { connector } = provider
  const record = { owner: 'octocat', repo: 'Hello-World', title: 'Found a bug', labels: ['bug'] }
  expect(await connector.write({ object: 'repos/issues', type: 'create', record })).toMatchObject({
    recordId: '1296269/1347',
    data: { title: 'Found a bug' },
  })
  const comment = { object: 'repos/issues/comments', id: '1296269/9' }
  await connector.write({ ...comment, type: 'update', record: { body: 'Me too' } })
  await connector.write({ ...comment, type: 'delete', record: {} })
  await connector.write({
    object: 'repos/labels',
    type: 'delete',
    id: '1296269/good%20first%2Fissue',
    record: {},
  })
  await connector.write({ object: 'gists', type: 'delete', id: 'aa5a315d', record: {} })
  expect(provider.seen.map(({ method, url, body }) => [method, url.pathname, body])).toEqual([
    ['GET', '/repos/octocat/Hello-World', ''],
    ['POST', '/repos/octocat/Hello-World/issues', '{"title":"Found a bug","labels":["bug"]}'],
    ['PATCH', '/repositories/1296269/issues/comments/9', '{"body":"Me too"}'],
    ['DELETE', '/repositories/1296269/issues/comments/9', ''],
    ['DELETE', '/repositories/1296269/labels/good%20first%2Fissue', ''],
    ['DELETE', '/gists/aa5a315d', ''],
  ])
})

it('packages are read for each type, of the account and of its organizations, fetched and deleted by name', async () => {
  const made = (name: string, updated_at: string) => ({ id: 197, name, package_type: 'npm', updated_at })
  await using provider = await openProvider('github', ({ method, url }): Answer => {
    if (method === 'DELETE') return { status: 204 }
    switch (url.pathname) {
      case '/user/orgs':
        return { body: [{ login: 'acme' }, { login: 'closed' }] }
      case '/user/packages':
        return { body: [made('hello', '2026-01-02T00:00:00Z'), made('old', '2020-01-01T00:00:00Z')] }
      case '/orgs/acme/packages':
        return { body: [made('tools/web', '2026-01-02T00:00:00Z')] }
      case '/orgs/acme/packages/container/tools%2Fweb':
        return { body: made('tools/web', '2026-01-02T00:00:00Z') }
      default:
        return { status: 403, body: { message: 'You need at least read:packages scope to list packages.' } }
    }
  })
  const { connector } = provider
  const since = new Date('2026-01-01T00:00:00Z')
  const own = await connector.readPage({ object: 'packages/npm', fields: ['id'], since })
  expect(own.records).toMatchObject([{ id: 'hello', fields: { id: 197 } }])
  const object = 'orgs/packages/container'
  const { records } = await connector.readPage({ object, fields: ['name', 'org'] })
  expect(records).toMatchObject([{ id: 'acme/tools%2Fweb', fields: { name: 'tools/web', org: 'acme' } }])
  expect(await connector.fetchRecord(object, 'acme/tools%2Fweb', ['name'])).toMatchObject({ id: 'acme/tools%2Fweb' })
  await connector.write({ object, type: 'delete', id: 'acme/tools%2Fweb', record: {} })
  expect(provider.seen.map(({ method, url }) => `${method} ${url.pathname}${url.search}`)).toEqual([
    'GET /user/packages?per_page=100&package_type=npm',
    'GET /user/orgs?per_page=100',
    'GET /orgs/acme/packages?per_page=100&package_type=container',
    'GET /orgs/closed/packages?per_page=100&package_type=container',
    'GET /orgs/acme/packages/container/tools%2Fweb',
    'DELETE /orgs/acme/packages/container/tools%2Fweb',
  ])
})

it('a spent limit is told from a lack of permission, and every wrong field is named', async () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const spent: Answer = {
    status: 403,
    headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 60) },
    body: { message: 'API rate limit exceeded for user ID 1.' },
  }
  let answer = spent
  await using limited = await openProvider('github', () => answer, { now: () => now })
  const read = () => limited.connector.readPage({ object: 'repos', fields: 'all' })
  await expect(read()).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 60_000 })
  answer = { ...spent, headers: { 'retry-after': '30', 'x-ratelimit-remaining': '4000' } }
  await expect(read()).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 30_000 })
  answer = { status: 403, body: { message: 'Resource not accessible by personal access token' } }
  await expect(read()).rejects.toMatchObject({ class: 'forbidden' })

  await using provider = await openProvider('github', github)
  const record = { owner: 'octocat', repo: 'Hello-World' }
  await expect(
    provider.connector.write({ object: 'repos/issues', type: 'create', record: { ...record, body: 'x' } }),
  ).rejects.toMatchObject({
    class: 'bad_request',
    status: 422,
    providerMessage: 'Validation Failed',
    errors: [{ message: expect.stringContaining('title') as string }],
  })
  await expect(
    provider.connector.write({ object: 'repos/issues', type: 'create', record: { title: 'nowhere' } }),
  ).rejects.toMatchObject({ class: 'bad_request' })
})

it('fields are those of the object facts, and those that say the repository', async () => {
  await using provider = await openProvider('github', github, { credential: { scheme: 'apiKey', apiKey: 'ghp_1' } })
  await provider.connector.checkHealth()
  expect(provider.seen.map(({ url, headers }) => [url.pathname, headers['authorization']])).toEqual([
    ['/user', 'Bearer ghp_1'],
  ])
  expect((await provider.connector.describeObject('repos/issues')).fields).toMatchObject({
    title: { valueType: 'string' },
    number: { valueType: 'int' },
    owner: { valueType: 'string' },
  })
  expect((await provider.connector.describeObject('repos/milestones')).fields).toMatchObject({
    state: { valueType: 'singleSelect', values: [{ value: 'open' }, { value: 'closed' }] },
    created_at: { readOnly: true },
  })
  expect(provider.entry.implemented).toMatchObject({ read: true, write: true, delete: true })
})

it.each([
  ['You have exceeded a secondary rate limit. Please wait a few minutes before you try again.', 'rate_limited'],
  ['Resource not accessible by integration', 'forbidden'],
])('a 403 is what its message says: %s', async (message, expected) => {
  await using provider = await openProvider('github', () => ({ status: 403, body: { message } }))
  await expect(provider.connector.readPage({ object: 'repos', fields: ['id'] })).rejects.toMatchObject({
    class: expected,
  })
})

it('no request is sent while GitHub says that none is left, and reads go on when the limit starts again', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 600) }
  await using provider = await openProvider('github', () => ({ headers, body: [] }), { now: () => now })
  const read = () => provider.connector.readPage({ object: 'gists', fields: ['id'] })
  await read()
  await expect(read()).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 600_000 })
  expect(provider.seen).toHaveLength(1)
  now += 600_000
  await read()
  expect(provider.seen).toHaveLength(2)
})

it('packages of all types are one object, and members of the teams of all organizations are another', async () => {
  await using provider = await openProvider('github', ({ url }): Answer => {
    const type = url.searchParams.get('package_type')
    switch (url.pathname) {
      case '/user/packages':
        return { body: type === 'npm' || type === 'docker' ? [{ id: 1, name: 'hello', package_type: type }] : [] }
      case '/user/orgs':
        return { body: ['closed', 'acme'].map((login, at) => ({ login, id: 8 + at })) }
      case '/orgs/acme/packages':
        return { body: type === 'maven' ? [{ id: 2, name: 'web', package_type: type }] : [] }
      case '/orgs/acme/teams':
        return {
          body: [
            { slug: 'core', id: 1 },
            { slug: 'docs', id: 2 },
          ],
        }
      case '/organizations/9/team/1/members':
      case '/organizations/9/team/2/members':
        return { body: [octocat] }
      default:
        return { status: 403, body: { message: 'Must be a member' } }
    }
  })
  const idsOf = async (object: string) =>
    (await readAll(provider.connector, { object, fields: ['id'] })).map(({ id }) => id)
  expect(await idsOf('packages')).toEqual(['npm/hello', 'docker/hello'])
  expect(await idsOf('orgs/packages')).toEqual(['acme/maven/web'])
  provider.seen.length = 0
  expect(await idsOf('orgs/teams/members')).toEqual(['9/1/1', '9/2/1'])
  expect(asked(provider.seen)).toEqual([
    'GET /user/orgs?per_page=100',
    'GET /orgs/closed/teams?per_page=100',
    'GET /orgs/acme/teams?per_page=100',
    'GET /organizations/9/team/1/members?per_page=100',
    'GET /organizations/9/team/2/members?per_page=100',
  ])
})
