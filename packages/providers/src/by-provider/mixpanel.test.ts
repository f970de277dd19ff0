import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createConnector } from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'
import { entryOf } from '../testing/provider.testkit.ts'

/** What docs.mixpanel.com/reference shows of lists, as far as the provider file relies on it. */

/** Lists of a service account name the project: in the path, or as `project_id`. */
function mixpanel({ method, url, headers }: SeenRequest): Answer {
  if (headers['authorization'] !== `Basic ${btoa('account:secret')}`) return { status: 401 }
  if (url.pathname === '/api/app/projects/7/annotations' && method === 'GET')
    return { body: { status: 'ok', results: [{ id: 1, date: '2026-01-02 12:00:00', description: 'Launch' }] } }
  if (url.pathname === '/api/app/projects/7/annotations/1' && method === 'PATCH')
    return { body: { status: 'ok', results: { id: 1, description: 'Launched' } } }
  if (url.searchParams.get('project_id') !== '7') return { status: 400, body: { error: 'project_id is missing' } }
  if (url.pathname === '/api/query/cohorts/list' && method === 'POST') return { body: [{ id: 1000, name: 'One' }] }
  if (url.pathname === '/api/query/funnels/list' && method === 'GET')
    return { body: [{ funnel_id: 7509, name: 'Signup' }] }
  if (url.pathname === '/api/2.0/export') return { body: '' }
  return { status: 404 }
}

it('annotations, cohorts and funnels of a project are read at its host, and annotations written', async () => {
  const credential = { scheme: 'basic', username: 'account', password: 'secret' } as const
  const metadata = { workspace: 'data-eu', projectId: '7', queryHost: 'eu.mixpanel.com' }
  await using server = await startServer(mixpanel)
  const entry = entryOf(await readFile(new URL('../../providers/mixpanel.yaml', import.meta.url), 'utf8'))
  const http = plainHttp(fetch, { from: 'https://eu.mixpanel.com', to: server.origin })
  const connector = createConnector(entry, { metadata, credential }, http, {})
  const ids = async (object: string) => (await readAll(connector, { object, fields: ['name'] })).map(({ id }) => id)
  expect(await ids('annotations')).toEqual(['1'])
  expect(await ids('cohorts')).toEqual(['1000'])
  expect(await ids('funnels')).toEqual(['7509'])
  const update = { object: 'annotations', type: 'update', id: '1', record: { description: 'Launched' } } as const
  expect((await connector.write(update)).recordId).toBe('1')
  expect(asked(server.seen)).toEqual([
    'GET /api/app/projects/7/annotations',
    'POST /api/query/cohorts/list?project_id=7',
    'GET /api/query/funnels/list?project_id=7',
    'PATCH /api/app/projects/7/annotations/1 {"description":"Launched"}',
  ])
})

it('exports of a service account name the project', async () => {
  const credential = { scheme: 'basic', username: 'account', password: 'secret' } as const
  await using provider = await openProvider('mixpanel', mixpanel, {
    metadata: { workspace: 'data', projectId: '7' },
    credential,
  })
  const window = { since: new Date('2026-01-02T00:00:00Z'), until: new Date('2026-01-02T01:00:00Z') }
  await readAll(provider.connector, { object: 'events', fields: ['event'], ...window })
  expect(asked(provider.seen)[0]).toContain('GET /api/2.0/export?project_id=7&from_date=')
})

it('profiles are read page by page, each with the session of the first one', async () => {
  const engage = ({ url, method, headers, body }: SeenRequest): Answer => {
    if (method !== 'POST' || url.pathname !== '/api/query/engage') return { status: 404 }
    const form = new URLSearchParams(body)
    if (body !== '' && headers['content-type'] !== 'application/x-www-form-urlencoded') return { status: 415 }
    // A page number without a session is refused.
    if (form.has('page') !== (form.get('session_id') === '1234-EXAMPL')) return { status: 400 }
    const page = Number(form.get('page') ?? 0)
    const results = Array.from({ length: page === 2 ? 1 : 1000 }, (_, at) => ({
      $distinct_id: page * 1000 + at,
      $properties: { $first_name: 'Ada' },
    }))
    return { body: { page, page_size: 1000, session_id: '1234-EXAMPL', status: 'ok', results } }
  }
  await using server = await startServer(engage)
  const entry = entryOf(await readFile(new URL('../../providers/mixpanel.yaml', import.meta.url), 'utf8'))
  const credential = { scheme: 'basic', username: 'account', password: 'secret' } as const
  const metadata = { workspace: 'data', projectId: '7', queryHost: 'mixpanel.com' }
  const http = plainHttp(fetch, { from: 'https://mixpanel.com', to: server.origin })
  const connector = createConnector(entry, { metadata, credential }, http, {})
  const records = await readAll(connector, { object: 'profiles', fields: ['$first_name'] })
  expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 2001 }, (_, id) => `${id}`))
  expect(records[2000]?.fields).toEqual({ $first_name: 'Ada' })
  expect(server.seen.map(({ body }) => body)).toEqual([
    '',
    'session_id=1234-EXAMPL&page=1',
    'session_id=1234-EXAMPL&page=2',
  ])
})
