import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.gorgias.com/reference shows as answers, as far as the provider file relies on it. */

function gorgias({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'DELETE') return { status: 204 }
  if (method !== 'GET') {
    const sent = JSON.parse(body) as { channel?: string }
    return sent.channel === 'x'
      ? { status: 400, body: { error: { msg: 'Failed to validate request.', data: { channel: ['Invalid.'] } } } }
      : { status: method === 'POST' ? 201 : 202, body: { id: 9, ...sent } }
  }
  if (pathname === '/api/custom-fields') {
    const id = searchParams.get('object_type') === 'Ticket' ? 1 : 2
    return { body: { object: 'list', data: [{ id }], meta: { next_cursor: null } } }
  }
  if (pathname === '/api/events') {
    const deleted = { id: 71, type: 'customer-deleted', object_type: 'Customer', object_id: 7 }
    const other = { id: 72, type: 'ticket-created', object_type: 'Ticket', object_id: 8 }
    return { body: { object: 'list', data: [deleted, other], meta: { next_cursor: null } } }
  }
  const last = searchParams.has('cursor')
  const data = [
    {
      id: last ? 2 : 1,
      created_datetime: last ? '2025-01-01T00:00:00+00:00' : '2026-01-02T00:00:00+00:00',
      updated_datetime: last ? '2025-01-01T00:00:00+00:00' : '2026-01-02T00:00:00+00:00',
      trashed_datetime: pathname === '/api/tickets' ? '2026-01-02T00:00:00+00:00' : null,
    },
  ]
  return { body: { object: 'list', uri: '/api/tickets', data, meta: { next_cursor: last ? null : 'c2' } } }
}

const open = () => openProvider('gorgias', gorgias, { metadata: { workspace: 'acme' } })

it('tickets are read to the last page, and a window ends at the first older change', async () => {
  await using provider = await open()
  const request = { object: 'tickets', fields: [] }
  expect((await readAll(provider.connector, request)).map(({ id }) => id)).toEqual(['1', '2'])
  const since = new Date('2026-01-01T00:00:00Z')
  expect((await readAll(provider.connector, { ...request, since })).map(({ id }) => id)).toEqual(['1'])
  expect(asked(provider.seen)).toEqual([
    'GET /api/tickets?limit=100&order_by=created_datetime:asc',
    'GET /api/tickets?limit=100&cursor=c2&order_by=created_datetime:asc',
    'GET /api/tickets?limit=100&order_by=updated_datetime:desc',
    'GET /api/tickets?limit=100&cursor=c2&order_by=updated_datetime:desc',
  ])
})

it('messages of a window are read until the first older one, and events of a window by a filter', async () => {
  await using provider = await open()
  const request = { fields: [], since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-03T00:00:00Z') }
  const messages = await readAll(provider.connector, { object: 'messages', ...request })
  expect(messages.map(({ id }) => id)).toEqual(['1'])
  await readAll(provider.connector, { object: 'events', ...request })
  expect(asked(provider.seen)).toEqual([
    'GET /api/messages?limit=100&order_by=created_datetime:desc',
    'GET /api/messages?limit=100&cursor=c2&order_by=created_datetime:desc',
    'GET /api/events?limit=100&order_by=created_datetime:asc&created_datetime[gte]=2026-01-01T00:00:00.000Z&created_datetime[lte]=2026-01-03T00:00:00.000Z',
  ])
})

it('trashed tickets are deleted ones, and events name deleted customers', async () => {
  await using provider = await open()
  const request = { fields: [], since: new Date('2026-01-01T00:00:00Z'), deletions: true }
  const read = async (object: string) =>
    (await readAll(provider.connector, { object, ...request })).map(({ id, deleted }) => (deleted ? `-${id}` : id))
  expect(await read('tickets')).toEqual(['-1'])
  expect(await read('customers')).toEqual(['1', '-7'])
  expect(asked(provider.seen).at(-1)).toContain(
    '/api/events?limit=100&order_by=created_datetime:asc&types=customer-deleted',
  )
})

it('custom fields are those of tickets and of customers', async () => {
  await using provider = await open()
  const records = await readAll(provider.connector, { object: 'custom-fields', fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
})

it('tickets are created, changed and deleted; a refusal says why', async () => {
  await using provider = await open()
  const { connector } = provider
  const object = 'tickets'
  expect(await connector.write({ object, type: 'create', record: { channel: 'email' } })).toMatchObject({
    recordId: '9',
  })
  await connector.write({ object, type: 'update', id: '9', record: { status: 'closed' } })
  await connector.write({ object, type: 'delete', id: '9', record: {} })
  expect(asked(provider.seen)).toEqual([
    'POST /api/tickets {"channel":"email"}',
    'PUT /api/tickets/9 {"status":"closed"}',
    'DELETE /api/tickets/9',
  ])
  const refused = connector.write({ object, type: 'create', record: { channel: 'x' } })
  await expect(refused).rejects.toMatchObject({ providerMessage: 'Failed to validate request.' })
})
