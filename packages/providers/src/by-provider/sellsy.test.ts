import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What Sellsy's OpenAPI document says, as far as the provider file relies on it. */

function sellsy({ method, url, body }: SeenRequest): Answer {
  if (method === 'DELETE') return { status: 204 }
  if (method === 'PUT' || !url.pathname.endsWith('/search'))
    return { status: method === 'POST' ? 201 : 200, body: { id: 9, ...JSON.parse(body) } }
  const data = url.searchParams.has('offset') ? [] : [{ id: 1, description: 'A' }]
  return { body: { data, pagination: { limit: 100, count: data.length, total: 1, offset: 'WyIxMSJd' } } }
}

it('comments are searched by the time of their last change', async () => {
  await using provider = await openProvider('sellsy', sellsy)
  const since = new Date('2026-01-01T00:00:00Z')
  const until = new Date('2026-02-01T00:00:00Z')
  expect(await readAll(provider.connector, { object: 'comments', fields: 'all', since, until })).toHaveLength(1)
  const filters = '{"filters":{"updated":{"start":"2026-01-01T00:00:00Z","end":"2026-02-01T00:00:00Z"}}}'
  expect(asked(provider.seen)).toEqual([
    `POST /v2/comments/search?limit=100 ${filters}`,
    `POST /v2/comments/search?limit=100&offset=WyIxMSJd ${filters}`,
  ])
})

it.each([
  ['taxes', 'taxes'],
  ['rate-categories', 'rate-categories'],
  ['discount-incl-taxes', 'discount-incl-taxes'],
])('%s are created, replaced and deleted', async (object, path) => {
  await using provider = await openProvider('sellsy', sellsy)
  const { connector } = provider
  expect(await connector.write({ object, type: 'create', record: { label: 'A' } })).toMatchObject({ recordId: '9' })
  await connector.write({ object, type: 'update', id: '9', record: { label: 'B' } })
  await connector.write({ object, type: 'delete', id: '9', record: {} })
  expect(asked(provider.seen)).toEqual([
    `POST /v2/${path} {"label":"A"}`,
    `PUT /v2/${path}/9 {"label":"B"}`,
    `DELETE /v2/${path}/9`,
  ])
})

it('a model of documents keeps the slash of its path', async () => {
  await using provider = await openProvider('sellsy', sellsy)
  await provider.connector.write({ object: 'documents/models', type: 'update', id: '9', record: { subject: 'B' } })
  expect(asked(provider.seen)).toEqual(['PUT /v2/documents/models/9 {"subject":"B"}'])
})

it.each([
  ['subscriptions', 'update'],
  ['payments', 'create'],
  ['custom-activity-types', 'delete'],
  ['accounting-codes', 'update'],
] as const)('%s have no %s, which Sellsy does not document', async (object, type) => {
  await using provider = await openProvider('sellsy', sellsy)
  const write = provider.connector.write({ object, type, id: '9', record: {} })
  await expect(write).rejects.toThrow()
  expect(provider.seen).toEqual([])
})
