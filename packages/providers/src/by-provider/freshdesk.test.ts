import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.freshdesk.com/api shows as answers, as far as the provider file relies on it. */

const ticket = (id: number, updated_at: string) => ({ id, subject: `Ticket ${id}`, updated_at, custom_fields: {} })
const tickets = [
  ticket(3, '2020-01-01T00:00:00Z'),
  ticket(1, '2026-01-01T00:00:00Z'),
  ticket(2, '2026-01-01T00:00:00Z'),
  ticket(4, '2026-01-02T00:00:00Z'),
]

function freshdesk({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const size = Number(searchParams.get('per_page'))
  if (method === 'GET' && (size < 1 || size > 100)) return { status: 400, body: { description: 'Validation failed' } }
  if (method === 'GET' && pathname.endsWith('/conversations'))
    return { body: [{ id: 100 + Number(pathname.split('/')[4]), body: 'Hello' }] }
  if (method === 'GET' && searchParams.get('state') === 'deleted')
    return { body: [{ id: 9, deleted: true }, { id: 10 }] }
  if (method === 'GET' && pathname === '/api/v2/tickets') {
    const since = searchParams.get('updated_since')
    if (since === null || searchParams.get('order_type') !== 'asc') throw new Error('tickets are missing')
    const isDeleted = searchParams.get('filter') === 'deleted'
    const left = (isDeleted ? [{ ...ticket(6, '2026-01-02T00:00:00Z'), deleted: true }, ...tickets] : tickets).filter(
      ({ updated_at }) => updated_at >= since,
    )
    const link = { link: `<https://acme.freshdesk.com${pathname}${url.search}&page=2>; rel="next"` }
    return { body: left.slice(0, size), ...(left.length > size && { headers: link }) }
  }
  if (method === 'GET' && searchParams.get('page') === '2')
    return { body: [{ id: 8, updated_at: '2026-01-03T00:00:00Z' }] }
  if (method === 'GET') {
    const link = `<https://acme.freshdesk.com${pathname}${url.search}&page=2>; rel="next"`
    return { headers: { link }, body: [{ id: 7, updated_at: '2020-01-03T00:00:00Z' }] }
  }
  if (method === 'DELETE') return { status: 204 }
  if (body.includes('subject')) return { status: method === 'POST' ? 201 : 200, body: { id: 5, ...JSON.parse(body) } }
  const errors = [{ field: 'subject', message: 'It should be a/an String', code: 'missing_field' }]
  return { status: 400, body: { description: 'Validation failed', errors } }
}

const options = {
  metadata: { workspace: 'acme' },
  credential: { scheme: 'basic', username: 'k', password: 'X' },
} as const

async function idsOf(object: string, pageSize: number, since?: Date) {
  await using provider = await openProvider('freshdesk', freshdesk, options)
  const more = { ...(since && { since }) }
  const ids = (await readAll(provider.connector, { object, fields: ['updated_at'], pageSize, ...more })).map(
    ({ id }) => id,
  )
  return { ids, requests: asked(provider.seen) }
}

it('all tickets are read, each page from the time of the last ticket', async () => {
  const { ids } = await idsOf('tickets', 3)
  expect(ids).toEqual(['3', '1', '2', '4'])
  const { ids: changed, requests } = await idsOf('tickets', 3, new Date('2026-01-02T00:00:00Z'))
  expect(changed).toEqual(['4'])
  expect(requests[0]).toContain('updated_since=2026-01-01T23:59:59Z')
})

it('deleted tickets and contacts are listed with a filter', async () => {
  await using provider = await openProvider('freshdesk', freshdesk, options)
  const request = { fields: ['updated_at'], since: new Date('2026-01-02T00:00:00Z'), deletions: true }
  const read = async (object: string) =>
    (await readAll(provider.connector, { object, ...request })).map(({ id, deleted }) => (deleted ? `-${id}` : id))
  expect(await read('tickets')).toEqual(['4', '-6'])
  expect(await read('contacts')).toEqual(['8', '-9'])
  expect(asked(provider.seen).at(-1)).toBe(
    'GET /api/v2/contacts?per_page=100&_updated_since=2026-01-01T23:59:59Z&state=deleted',
  )
})

it('blocked contacts are read after the others, whose list does not have them', async () => {
  const answer = ({ url }: SeenRequest): Answer => ({ body: [{ id: url.searchParams.has('state') ? 2 : 1 }] })
  await using provider = await openProvider('freshdesk', answer, options)
  const records = await readAll(provider.connector, { object: 'contacts', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
  expect(asked(provider.seen)).toEqual([
    'GET /api/v2/contacts?per_page=100',
    'GET /api/v2/contacts?per_page=100&state=blocked',
  ])
})

it('conversations of changed tickets are read, though the list of tickets has several pages', async () => {
  const { ids, requests } = await idsOf('conversations', 100, new Date('2026-01-02T00:00:00Z'))
  expect(ids).toEqual(['104'])
  expect(requests).toContain('GET /api/v2/tickets/4/conversations?per_page=100')
  const pages = (request: SeenRequest) => {
    if (request.url.pathname === '/api/v2/tickets') request.url.searchParams.set('per_page', '3')
    return freshdesk(request)
  }
  await using provider = await openProvider('freshdesk', pages, options)
  const all = await readAll(provider.connector, { object: 'conversations', fields: 'all' })
  expect(all.map(({ id }) => id)).toEqual(['103', '101', '102', '104'])
})

it('the description of tickets is requested if it is selected', async () => {
  await using provider = await openProvider('freshdesk', freshdesk, options)
  await provider.connector.readPage({ object: 'tickets', fields: ['subject'] })
  await provider.connector.readPage({ object: 'tickets', fields: ['subject', 'description'] })
  expect(provider.seen.map(({ url }) => url.searchParams.get('include'))).toEqual([null, 'description'])
})

it('answers to surveys are read since the beginning, or since a time', async () => {
  expect((await idsOf('satisfaction_ratings', 1)).requests[0]).toContain('created_since=1970-01-01T00:00:00Z')
  const { requests } = await idsOf('satisfaction_ratings', 1, new Date('2026-01-01T00:00:00Z'))
  expect(requests[0]).toContain('created_since=2025-12-31T23:59:59Z')
})

it('other lists follow the Link header; contacts have a window, companies are filtered here', async () => {
  expect((await idsOf('companies', 1)).ids).toEqual(['7', '8'])
  expect((await idsOf('companies', 1, new Date('2026-01-01T00:00:00Z'))).ids).toEqual(['8'])
  const { requests } = await idsOf('contacts', 100, new Date('2026-01-01T00:00:00Z'))
  expect(requests[0]).toBe('GET /api/v2/contacts?per_page=100&_updated_since=2025-12-31T23:59:59Z')
})

it('tickets are created, changed and deleted; a refusal lists what is wrong', async () => {
  await using provider = await openProvider('freshdesk', freshdesk, options)
  const { connector, seen } = provider
  const record = { subject: 'Printer' }
  expect(await connector.write({ object: 'tickets', type: 'create', record })).toMatchObject({ recordId: '5' })
  await connector.write({ object: 'tickets', type: 'update', id: '5', record })
  await connector.write({ object: 'tickets', type: 'delete', id: '5', record: {} })
  expect(asked(seen).slice(1)).toEqual(['PUT /api/v2/tickets/5 {"subject":"Printer"}', 'DELETE /api/v2/tickets/5'])
  await expect(connector.write({ object: 'tickets', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: 'subject: It should be a/an String' }],
  })
})
