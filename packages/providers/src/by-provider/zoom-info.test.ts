import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What ZoomInfo's OpenAPI document of GTM Studio says, as far as the provider file relies on it. */

const old = { id: 'a1', attributes: { name: 'Old', updatedAt: '2025-12-01T00:00:00Z' } }
const changed = { id: 'a2', attributes: { name: 'Changed', updatedAt: '2026-01-01T12:00:00Z' } }

function studio({ method, url }: SeenRequest): Answer {
  if (method === 'DELETE') return { status: 204 }
  if (url.pathname.endsWith('/a2')) return { body: { data: changed } }
  return { body: { data: [old, changed], links: {} } }
}

const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-02T00:00:00Z') }

it('folders are asked for by the time of their change, in an order that does not move', async () => {
  await using provider = await openProvider('zoomInfo', studio)
  await provider.connector.readPage({ object: 'audience-folders', fields: ['name'], ...window })
  const query = Object.fromEntries(provider.seen[0]?.url.searchParams ?? [])
  expect(query).toMatchObject({
    sort: 'createdAt',
    'filter[updatedAfter]': '2025-12-31T23:59:59Z',
    'filter[updatedBefore]': '2026-01-02T00:00:00Z',
  })
})

it('audiences, which cannot be filtered by time, are read whole, and those that changed are kept', async () => {
  await using provider = await openProvider('zoomInfo', studio)
  const { records } = await provider.connector.readPage({ object: 'audiences', fields: ['name'], ...window })
  expect(records.map(({ fields }) => fields)).toEqual([{ name: 'Changed' }])
  expect(provider.seen[0]?.url.searchParams.get('sort')).toBe('createdAt')
})

it('an audience is deleted by its id', async () => {
  await using provider = await openProvider('zoomInfo', studio)
  await provider.connector.write({ object: 'audiences', type: 'delete', id: 'a2', record: {} })
  expect(asked(provider.seen)).toEqual(['DELETE /gtm/studio/v1/audiences/a2'])
})

it('agent teams are read in an order that a new name does not change, and one by one', async () => {
  await using provider = await openProvider('zoomInfo', studio)
  await provider.connector.readPage({ object: 'agent-teams', fields: ['name'] })
  expect(await provider.connector.fetchRecord('agent-teams', 'a2', ['name'])).toMatchObject({ id: 'a2' })
  expect(provider.seen.map(({ url }) => url.pathname)).toEqual([
    '/gtm/agent/v1/agent-teams',
    '/gtm/agent/v1/agent-teams/a2',
  ])
  expect(provider.seen[0]?.url.searchParams.get('sort')).toBe('createdAt')
})

it.each([
  ['contacts', { lastUpdatedDateAfter: '2025-12-31', boardMember: 'include' }],
  ['news', { pageDateMin: '2026-01-01', pageDateMax: '2026-01-02' }],
  ['scoops', { publishedStartDate: '2026-01-01', publishedEndDate: '2026-01-02' }],
])('a window of %s is days', async (object, attributes) => {
  await using provider = await openProvider('zoomInfo', studio)
  await provider.connector.readPage({ object, fields: ['name'], ...window })
  expect(JSON.parse(provider.seen[0]?.body ?? '')).toMatchObject({ data: { attributes } })
})

it('all contacts are read, and members of boards, too', async () => {
  await using provider = await openProvider('zoomInfo', studio)
  await provider.connector.readPage({ object: 'contacts', fields: ['name'] })
  const attributes = { lastUpdatedDateAfter: '1970-01-01', boardMember: 'include' }
  expect(JSON.parse(provider.seen[0]?.body ?? '')).toMatchObject({ data: { attributes } })
})

it('a setting that the list leaves out, because it is archived, is found by its id, and one can be deleted', async () => {
  await using provider = await openProvider('zoomInfo', studio)
  expect(await provider.connector.fetchRecord('products', 'a2', ['name'])).toMatchObject({ id: 'a2' })
  await provider.connector.write({ object: 'products', type: 'delete', id: 'a2', record: {} })
  expect(asked(provider.seen)).toEqual(['GET /gtm/copilot/v1/products/a2', 'DELETE /gtm/copilot/v1/products/a2'])
})
