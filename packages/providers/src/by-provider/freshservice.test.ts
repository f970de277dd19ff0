import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What api.freshservice.com shows as answers, as far as the provider file relies on it. */

function freshservice({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const sent = JSON.parse(body) as { name?: string }
    const errors = [{ field: 'name', message: 'Mandatory attribute missing', code: 'missing_field' }]
    return sent.name === undefined
      ? { status: 400, body: { description: 'Validation failed', errors } }
      : { status: method === 'POST' ? 201 : 200, body: { asset: { id: 70, display_id: 7, ...sent } } }
  }
  if (pathname === '/api/v2/tickets/30') return { body: { ticket: { id: 30, deleted: true } } }
  if (searchParams.get('filter') === 'deleted') return { body: { tickets: [{ id: 30, deleted: true }] } }
  const records = pathname.split('/').at(-1) ?? ''
  const last = searchParams.get('page') === '2'
  const link = `<https://acme.freshservice.com${pathname}${url.search}&page=2>; rel="next"`
  const record = {
    id: last ? 20 : 10,
    display_id: last ? 2 : 1,
    updated_at: last ? '2026-01-02T00:00:00Z' : '2020-01-01T00:00:00Z',
  }
  return { body: { [records]: [record] }, ...(!last && { headers: { link } }) }
}

const options = {
  metadata: { workspace: 'acme' },
  credential: { scheme: 'basic', username: 'k', password: 'X' },
} as const

it('all tickets are read, not only those of the last 30 days, and those that changed', async () => {
  await using provider = await openProvider('freshservice', freshservice, options)
  const request = { object: 'tickets', fields: [] }
  expect((await readAll(provider.connector, request)).map(({ id }) => id)).toEqual(['10', '20'])
  await provider.connector.readPage({ ...request, since: new Date('2026-01-01T00:00:00Z') })
  expect(asked(provider.seen)).toEqual([
    'GET /api/v2/tickets?per_page=100&updated_since=1970-01-01T00:00:00Z&order_type=asc',
    'GET /api/v2/tickets?per_page=100&updated_since=1970-01-01T00:00:00Z&order_type=asc&page=2',
    'GET /api/v2/tickets?per_page=100&updated_since=2025-12-31T23:59:59Z&order_type=asc',
  ])
})

it.each(['changes', 'releases'])('all %s are read, not only those of the last 30 days', async (object) => {
  await using provider = await openProvider('freshservice', freshservice, options)
  await provider.connector.readPage({ object, fields: [] })
  await provider.connector.readPage({ object, fields: [], since: new Date('2026-01-01T00:00:00Z') })
  expect(asked(provider.seen)).toEqual([
    `GET /api/v2/${object}?per_page=100&updated_since=1970-01-01T00:00:00Z`,
    `GET /api/v2/${object}?per_page=100&updated_since=2025-12-31T23:59:59Z`,
  ])
})

it('deleted tickets are reported, and do not exist for who asks for one', async () => {
  await using provider = await openProvider('freshservice', freshservice, options)
  const since = new Date('2026-01-01T00:00:00Z')
  const records = await readAll(provider.connector, { object: 'tickets', fields: [], since, deletions: true })
  expect(records.filter(({ deleted }) => deleted).map(({ id }) => id)).toEqual(['30'])
  expect(asked(provider.seen).at(-1)).toBe(
    'GET /api/v2/tickets?per_page=100&updated_since=2025-12-31T23:59:59Z&order_type=asc&filter=deleted',
  )
  expect(await provider.connector.fetchRecord('tickets', '30', 'all')).toBeUndefined()
})

it('a ticket whose response does not say whether it is deleted exists', async () => {
  await using provider = await openProvider('freshservice', () => ({ body: { ticket: { id: 31 } } }), options)
  expect(await provider.connector.fetchRecord('tickets', '31', 'all')).toMatchObject({ id: '31' })
})

const ofWorkspaces = ['announcements', 'assets', 'changes', 'problems', 'releases', 'tickets']

it.each(ofWorkspaces)('%s of the workspace that the customer named are read', async (object) => {
  const metadata = { ...options.metadata, workspaceId: '2' }
  await using provider = await openProvider('freshservice', freshservice, { ...options, metadata })
  await provider.connector.readPage({ object, fields: [] })
  expect(provider.seen[0]?.url.searchParams.get('workspace_id')).toBe('2')
})

it('agent groups are requested without a workspace', async () => {
  const metadata = { ...options.metadata, workspaceId: '2' }
  await using provider = await openProvider('freshservice', freshservice, { ...options, metadata })
  await provider.connector.readPage({ object: 'groups', fields: [] })
  expect(asked(provider.seen)).toEqual(['GET /api/v2/groups?per_page=100'])
})

it('assets have the ids that requests take, and those that did not change are dropped', async () => {
  await using provider = await openProvider('freshservice', freshservice, options)
  const since = new Date('2026-01-01T00:00:00Z')
  const records = await readAll(provider.connector, { object: 'assets', fields: [], since })
  expect(records.map(({ id }) => id)).toEqual(['2'])
})

it('assets are created, changed and deleted; a refusal lists what is wrong', async () => {
  await using provider = await openProvider('freshservice', freshservice, options)
  const { connector } = provider
  const object = 'assets'
  expect(await connector.write({ object, type: 'create', record: { name: 'Laptop' } })).toMatchObject({ recordId: '7' })
  await connector.write({ object, type: 'update', id: '7', record: { name: 'Phone' } })
  await connector.write({ object, type: 'delete', id: '7', record: {} })
  expect(asked(provider.seen)).toEqual([
    'POST /api/v2/assets {"name":"Laptop"}',
    'PUT /api/v2/assets/7 {"name":"Phone"}',
    'DELETE /api/v2/assets/7',
  ])
  await expect(connector.write({ object, type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'Validation failed',
    errors: [{ message: 'name: Mandatory attribute missing' }],
  })
})
