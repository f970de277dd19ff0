import { expect, it } from 'vitest'
import { createConnector, loadCatalogue } from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** What the recordings of Salesforce do not show of Account Engagement: windows, long lists, refusals. */

const entry = (await loadCatalogue({ cacheDir: testCache })).find('salesforce')

async function open(answer: (request: SeenRequest) => Answer) {
  if (entry === undefined) throw new Error('no salesforce')
  const server = await startServer(answer)
  const connection = {
    module: 'account-engagement',
    metadata: { workspace: 'acme', businessUnitId: '0Uv1' },
    credential: { scheme: 'oauth2', accessToken: 'token' },
  } as const
  const http = plainHttp(fetch, { from: 'https://pi.pardot.com', to: server.origin })
  return { server, connector: createConnector(entry, connection, http) }
}

const window = { since: new Date('2026-01-01T00:00:00.900Z'), until: new Date('2026-02-01T00:00:00Z') }

it('objects of Account Engagement have a window by their own time, and one that cannot be asked for is applied here', async () => {
  const old = { id: 1, updatedAt: '2025-01-01T00:00:00-07:00' }
  const { server, connector } = await open(() => ({
    body: { values: [old, { id: 2, updatedAt: '2026-01-05T00:00:00-07:00' }] },
  }))
  await using _ = server
  const { records } = await connector.readPage({ object: 'Visitors', fields: ['id'], ...window })
  expect(records.map(({ id }) => id)).toEqual(['2'])
  await connector.readPage({ object: 'visits', fields: ['id'], ...window })
  await connector.readPage({ object: 'tagged-objects', fields: ['id'], ...window })
  expect(server.seen.map(({ url }) => [url.pathname, ...url.searchParams.keys()])).toEqual([
    ['/api/v5/objects/visitors', 'fields', 'limit'],
    ['/api/v5/objects/visits', 'fields', 'limit', 'updatedAtAfterOrEqualTo', 'updatedAtBeforeOrEqualTo'],
    ['/api/v5/objects/tagged-objects', 'fields', 'limit', 'createdAtAfterOrEqualTo', 'createdAtBeforeOrEqualTo'],
  ])
  expect(server.seen.every(({ headers }) => headers['pardot-business-unit-id'] === '0Uv1')).toBe(true)
})

it('times of Account Engagement have an offset, because it refuses Z', async () => {
  const { server, connector } = await open(() => ({ body: { values: [] } }))
  await using _ = server
  await connector.readPage({ object: 'lists', fields: ['name'], ...window })
  expect(server.seen[0]?.url.searchParams.get('updatedAtAfterOrEqualTo')).toBe('2026-01-01T00:00:00+00:00')
})

it('Account Engagement names no next page after 100,000 records: a read of prospects continues by the id', async () => {
  const full = Array.from({ length: 50_000 }, (_, index) => ({ id: index + 1 }))
  const { server, connector } = await open(({ url }) => ({
    body: { values: url.searchParams.has('idGreaterThan') ? [] : full, nextPageUrl: '/next' },
  }))
  await using _ = server
  const first = await connector.readPage({ object: 'prospects', fields: ['email'] })
  await connector.readPage({ object: 'prospects', fields: ['email'], page: first.nextPage ?? '' })
  expect(
    server.seen.map(({ url }) => [url.searchParams.get('orderBy'), url.searchParams.get('idGreaterThan')]),
  ).toEqual([
    ['id', null],
    ['id', '50000'],
  ])
})

it.each([66, 122])('Account Engagement refuses too many requests with code %i', async (code) => {
  const refused = { status: 400, body: { code, message: 'said so' } }
  const { server, connector } = await open(() => refused)
  await using _ = server
  await expect(connector.readPage({ object: 'lists', fields: ['name'] })).rejects.toMatchObject({
    class: 'rate_limited',
  })
})

it.each([
  ['list-emails', ['name', 'recipientListIds']],
  ['engagement-studio-programs', ['name', 'suppressionListIds']],
])(
  'a list of %s requests no collections, which Account Engagement returns with a single record only',
  async (object, fields) => {
    const { server, connector } = await open(() => ({ body: { values: [] } }))
    await using _ = server
    await connector.readPage({ object, fields })
    expect(server.seen[0]?.url.searchParams.get('fields')).not.toContain('ListIds')
  },
)

it('what a prospect did elsewhere is written, and not read', async () => {
  const { server, connector } = await open(() => ({ status: 204, body: undefined }))
  await using _ = server
  const record = { email: 'ada@example.com', extension: 'shop', type: 'bought', value: 'tea' }
  expect(await connector.write({ object: 'external-activities', type: 'create', record })).toMatchObject({
    success: true,
  })
  expect(server.seen.map(({ url, body }) => [url.pathname, JSON.parse(body)])).toEqual([
    ['/api/v5/external-activities', record],
  ])
  await expect(connector.readPage({ object: 'external-activities', fields: ['email'] })).rejects.toMatchObject({
    class: 'unsupported_object',
  })
})
