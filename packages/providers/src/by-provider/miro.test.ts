import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.miro.com/reference shows as answers, as far as the provider file relies on it. */

const boards = [
  { id: 'b1', name: 'One', modifiedAt: '2026-01-01T00:00:00Z' },
  { id: 'b2', name: 'Two', modifiedAt: '2026-01-02T00:00:00Z' },
  { id: 'b3', name: 'Three', modifiedAt: '2026-01-03T00:00:00Z' },
]

function miro({ method, url, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const limit = Number(searchParams.get('limit'))
  const refusal = (field: string, message: string): Answer => ({
    status: 400,
    body: {
      status: 400,
      code: '2.0703',
      message: 'Input validation failed',
      context: { fields: [{ field, message }] },
    },
  })
  if (method === 'GET' && (limit < 1 || limit > 50)) return refusal('limit', 'must be between 1 and 50')
  if (method === 'GET' && pathname === '/v2/boards') {
    if (searchParams.get('team_id') !== 't1') throw new Error('boards are in no fixed order')
    const offset = Number(searchParams.get('offset'))
    const data = boards.slice(offset, offset + limit)
    return { body: { size: data.length, offset, limit, total: boards.length, data, type: 'list' } }
  }
  if (pathname.endsWith('/connectors')) {
    const isSecond = searchParams.get('cursor') === 'MQ'
    return { body: { data: [{ id: isSecond ? 'k2' : 'k1' }], limit, ...(!isSecond && { cursor: 'MQ' }) } }
  }
  const board = /^\/v2\/boards\/(b\d)\/items$/.exec(pathname)?.[1]
  if (board === 'b2') return { status: 403, body: { status: 403, code: '4.0301', message: 'No access' } }
  if (board !== undefined && searchParams.get('cursor') === null)
    return { body: { total: 2, size: 1, limit, cursor: 'MQ', data: [{ id: '1', type: 'card' }] } }
  if (board !== undefined) return { body: { total: 2, size: 1, limit, data: [{ id: '2', type: 'text' }] } }
  if (method === 'DELETE') return { status: 204 }
  const sent = JSON.parse(body) as { name?: string }
  return sent.name === '' ? refusal('name', 'is too short') : { body: { ...boards[0], ...sent } }
}

const options = { workspaceRef: 't1' }

async function idsOf(object: string, pageSize: number, since?: Date) {
  await using provider = await openProvider('miro', miro, options)
  const more = { ...(since && { since }) }
  const ids = (await readAll(provider.connector, { object, fields: ['type'], pageSize, ...more })).map(({ id }) => id)
  return ids
}

it('boards are read by offset; those that did not change are left out of a window', async () => {
  expect(await idsOf('boards', 2)).toEqual(['b1', 'b2', 'b3'])
  expect(await idsOf('boards', 2, new Date('2026-01-02T00:00:00Z'))).toEqual(['b2', 'b3'])
})

it('items are read for each board to the last page; a board without access is skipped', async () => {
  expect(await idsOf('items', 50)).toEqual(['b1/1', 'b1/2', 'b3/1', 'b3/2'])
})

it('boards are created, changed and deleted, items deleted; a refusal lists what is wrong', async () => {
  await using provider = await openProvider('miro', miro, options)
  const { connector, seen } = provider
  const record = { name: 'Plan' }
  expect(await connector.write({ object: 'boards', type: 'create', record })).toMatchObject({ recordId: 'b1' })
  await connector.write({ object: 'boards', type: 'update', id: 'b1', record })
  await connector.write({ object: 'boards', type: 'delete', id: 'b1', record: {} })
  await connector.write({ object: 'items', type: 'delete', id: 'b1/2', record: {} })
  expect(asked(seen)).toEqual([
    'POST /v2/boards {"name":"Plan"}',
    'PATCH /v2/boards/b1 {"name":"Plan"}',
    'DELETE /v2/boards/b1',
    'DELETE /v2/boards/b1/items/2',
  ])
  await expect(connector.write({ object: 'boards', type: 'create', record: { name: '' } })).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: 'name: is too short' }],
  })
})

it('connectors are read board by board, page by page', async () => {
  await using opened = await openProvider('miro', miro, { workspaceRef: 't1' })
  const connectors = await readAll(opened.connector, { object: 'connectors', fields: ['id'] })
  expect(connectors.map(({ id }) => id)).toEqual(['b1/k1', 'b1/k2', 'b2/k1', 'b2/k2', 'b3/k1', 'b3/k2'])
})
