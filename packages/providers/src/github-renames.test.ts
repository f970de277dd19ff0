import { expect, it } from 'vitest'
import { openSubscriber, planRegistrations, webhooksOf } from './index.ts'
import { type Answer, plainHttp, startServer } from './testing/http-server.testkit.ts'
import { openProvider } from './testing/open-provider.testkit.ts'
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
