import { expect, it } from 'vitest'
import { eventNamesOf, openSubscriber, parseEvents, planRegistrations, webhooksOf } from './index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from './testing/http-server.testkit.ts'
import { openProvider, readAll } from './testing/open-provider.testkit.ts'
import { entryFor, ours } from './webhook-cases/webhook-case.testkit.ts'

/** GitHub redirects the addresses of a repository that was renamed or transferred; only its id stays. */

const api = 'https://api.github.com'
const hello = { id: 1296269, name: 'Hello-World', full_name: 'octocat/Hello-World', owner: { login: 'octocat', id: 1 } }

it('the ids of records stay when their repository is renamed and transferred', async () => {
  let repository = hello
  const comments = [{ id: 9, url: 'https://api.github.com/repos/octocat/Hello-World/issues/comments/9' }]
  await using provider = await openProvider('github', ({ url }): Answer => {
    if (url.pathname === '/user/repos') return { body: [repository] }
    if (url.pathname === '/repositories/1296269') return { body: repository }
    if (url.pathname === '/repositories/1296269/issues/comments') return { body: comments }
    if (url.pathname === '/repositories/1296269/issues/comments/9') {
      const { full_name } = repository
      return { body: { id: 9, url: `${api}/repos/${full_name}/issues/comments/9` } }
    }
    // What GitHub answers for the former name.
    return { status: 301, headers: { location: `${api}/repositories/1296269` }, body: { message: 'Moved Permanently' } }
  })
  const { connector } = provider
  const read = async (object: string) => {
    const { records } = await connector.readPage({ object, fields: ['id'] })
    return records.map(({ id }) => id)
  }
  const before = [await read('repos'), await read('repos/issues/comments')]
  expect(before).toEqual([['1296269'], ['1296269/9']])
  repository = { ...hello, name: 'Greeting', full_name: 'acme/Greeting', owner: { login: 'acme', id: 2 } }
  expect([await read('repos'), await read('repos/issues/comments')]).toEqual(before)
  expect(await connector.fetchRecord('repos', '1296269', ['name'])).toMatchObject({ fields: { name: 'Greeting' } })
  expect(await connector.fetchRecord('repos/issues/comments', '1296269/9', ['owner', 'repo'])).toMatchObject({
    id: '1296269/9',
    fields: { owner: 'acme', repo: 'Greeting' },
  })
})

it('the webhook of a repository stays when it is renamed; one of an earlier release is removed by name', async () => {
  const entry = await entryFor('github')
  const webhooks = webhooksOf(entry, undefined)
  if (webhooks === undefined) throw new Error('no webhooks')
  let name = 'Hello-World'
  await using server = await startServer(({ method, url }) => {
    if (url.pathname === '/user/repos')
      return { body: [{ ...hello, name, permissions: { admin: true }, archived: false }] }
    return method === 'POST' ? { status: 201, body: { id: 5 } } : { status: 204 }
  })
  const connection = { metadata: {}, credential: { scheme: 'oauth2', accessToken: 't1' } as const }
  const subscriber = openSubscriber(entry, connection, plainHttp(fetch, { from: api, to: server.origin }))
  const wanted = [{ object: 'repos', events: ['repository.edited'] }]
  const plansNow = () => subscriber.spread(planRegistrations(webhooks, wanted))
  const [plan] = await plansNow()
  name = 'Greeting'
  expect(await plansNow()).toEqual([plan])
  if (plan === undefined) throw new Error('nothing to register')
  const made = await subscriber.register({ ...ours, ...plan })
  await subscriber.unregister({ ...ours, ...plan, id: made.id })
  const key = JSON.stringify({ owner: 'octocat', repo: 'Hello-World' })
  await subscriber.unregister({ ...ours, ...plan, key, id: '4' })
  const hooks = server.seen.filter(({ url }) => url.pathname.includes('/hooks'))
  expect(hooks.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
    'POST /repositories/1296269/hooks',
    'DELETE /repositories/1296269/hooks/5',
    'DELETE /repos/octocat/Hello-World/hooks/4',
  ])
})

it('an organization, its teams and its members are known by numbers, and requested by them', async () => {
  let login = 'acme'
  let slug = 'core'
  const answer = ({ method, url }: SeenRequest): Answer => {
    switch (`${method} ${url.pathname}`) {
      case 'GET /user/orgs':
        return { body: [{ id: 9, login }] }
      case 'GET /organizations/9':
      case `PATCH /orgs/${login}`:
        return { body: { id: 9, login } }
      case 'GET /user/1':
        return { body: { id: 1, login: 'octocat' } }
      case `GET /orgs/${login}/teams`:
        return { body: [{ id: 3, slug }] }
      case `GET /orgs/${login}/members`:
        return { body: [{ id: 1, login: 'octocat' }] }
      case 'GET /organizations/9/team/3':
        return { body: { id: 3, slug, organization: { id: 9, login } } }
      case `DELETE /orgs/${login}/members/octocat`:
      case 'DELETE /organizations/9/team/3':
        return { status: 204 }
      default:
        return { status: 404, body: { message: 'Not Found' } }
    }
  }
  const idsNow = async () => {
    await using provider = await openProvider('github', answer)
    const read = async (object: string) => (await provider.connector.readPage({ object, fields: ['id'] })).records
    return (await Promise.all(['orgs', 'orgs/teams', 'orgs/members'].map(read))).map((records) =>
      records.map(({ id }) => id),
    )
  }
  const before = await idsNow()
  expect(before).toEqual([['9'], ['9/3'], ['9/1']])
  login = 'acme-inc'
  slug = 'kernel'
  expect(await idsNow()).toEqual(before)
  await using provider = await openProvider('github', answer)
  const { connector } = provider
  expect(await connector.fetchRecord('orgs', '9', ['login'])).toMatchObject({ fields: { login: 'acme-inc' } })
  expect(await connector.fetchRecord('orgs/teams', '9/3', ['slug', 'org'])).toMatchObject({
    id: '9/3',
    fields: { slug: 'kernel', org: 'acme-inc' },
  })
  await connector.write({ object: 'orgs', type: 'update', id: '9', record: { description: 'We build' } })
  await connector.write({ object: 'orgs/teams', type: 'delete', id: '9/3', record: {} })
  await connector.write({ object: 'orgs/members', type: 'delete', id: '9/1', record: {} })
  expect(provider.seen.slice(-6).map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
    'GET /organizations/9',
    'PATCH /orgs/acme-inc',
    'DELETE /organizations/9/team/3',
    'GET /organizations/9',
    'GET /user/1',
    'DELETE /orgs/acme-inc/members/octocat',
  ])
})

it('advisories are read by type, those that GitHub reviewed without one, and tasks that are archived', async () => {
  await using provider = await openProvider('github', ({ url }): Answer => {
    const type = url.searchParams.get('type')
    if (url.pathname === '/advisories') return { body: [{ ghsa_id: `GHSA-${type}`, type }] }
    const isArchived = url.searchParams.get('is_archived') === 'true'
    return { body: { tasks: [{ id: isArchived ? 'old' : 'new' }] } }
  })
  const idsOf = async (object: string) =>
    (await readAll(provider.connector, { object, fields: ['id'], since: new Date(0) })).map(({ id }) => id)
  expect(await idsOf('advisories')).toEqual(['GHSA-null'])
  expect(await idsOf('advisories/malware')).toEqual(['GHSA-malware'])
  expect(await idsOf('advisories/unreviewed')).toEqual(['GHSA-unreviewed'])
  expect(await idsOf('agents/tasks')).toEqual(['new', 'old'])
  expect(provider.seen.at(-1)?.url.searchParams.get('since')).toBe('1970-01-01T00:00:00Z')
})

it('assignments of alerts, fields of issues and the merge queue are changes', async () => {
  const webhooks = webhooksOf(await entryFor('github'), undefined)
  if (webhooks === undefined) throw new Error('no webhooks')
  const changes: [object: string, event: string, action: string, key: string][] = [
    ['repos/issues', 'issues', 'field_added', 'issue'],
    ['repos/pulls', 'pull_request', 'dequeued', 'pull_request'],
    ['repos/dependabot/alerts', 'dependabot_alert', 'assignees_changed', 'alert'],
    ['repos/code-scanning/alerts', 'code_scanning_alert', 'updated_assignment', 'alert'],
    ['repos/secret-scanning/alerts', 'secret_scanning_alert', 'unassigned', 'alert'],
  ]
  for (const [object, name, action, key] of changes) {
    const payload = { action, [key]: { number: 7 }, repository: { id: 4 } }
    const [event] = parseEvents(webhooks, payload, { 'x-github-event': name, 'x-github-delivery': '72d3162e' })
    expect(event).toMatchObject({ id: '4/7' })
    expect(eventNamesOf(webhooks, object)?.update).toContain(event?.name)
  }
})
