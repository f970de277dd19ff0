import { expect, it } from 'vitest'
import type { SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** docs.talkdesk.com/reference, and the OpenAPI document of api-docs.talkdeskapp.com. */

const metadata = { workspace: 'acme', talkdesk_api_domain: 'api.talkdeskapp.com' }

const user = { id: 'u1' }

/** The lists of the reference, each with its own shape. */
const lists: Record<string, unknown> = {
  '/account/wallets': { total: 1, _embedded: { wallets: [{ name: 'main', balance: 3 }] }, _links: {} },
  '/attributes': { total: 1, _embedded: { attributes: [{ id: 'a1', active: true }] }, _links: {} },
  '/attributes-categories': { total: 1, _embedded: { categories: [{ id: 'c1' }] }, _links: {} },
  '/ccaas/queues': { total: 1, _embedded: { queues: [{ id: 'q1', name: 'Support' }] }, _links: { next: null } },
  '/cm/core/va/cases': { total: 1, _embedded: { data: [{ id: '20808', title: 'Outbound call' }] }, _links: {} },
  '/cm/meta/va/fields': [{ id: '1', key: 'drop_down1' }],
  '/contacts': { total: 1, _embedded: { contacts: [{ id: 'p1', name: 'Joey' }] }, _links: {} },
  '/contacts/p1': { contact: { id: 'p1', name: 'Joey' } },
  '/guardian/calls/call-quality': { total: 1, _embedded: [{ call_id: 'k1' }], _links: {} },
  '/guardian/cases': { total: 1, _embedded: [{ id: 'g1' }], _links: {} },
  '/guardian/users': { total: 1, _embedded: [user], _links: {} },
  '/live-queries': { total: 1, _embedded: { queries: [{ id: 'l1' }] }, _links: {} },
  '/ring-groups': { total: 1, _embedded: { ring_groups: [{ name: 'agents' }] }, _links: {} },
  '/scim/v2/ResourceTypes': { totalResults: 1, Resources: [{ id: 'User', name: 'User' }] },
  '/scim/v2/Users': { totalResults: 1, startIndex: 1, itemsPerPage: 50, Resources: [user] },
}

const open = () =>
  openProvider('talkdesk', ({ url }: SeenRequest) => ({ body: lists[url.pathname] ?? {} }), { metadata })

it.each([
  ['account-wallet', 'main', '/account/wallets?per_page=50'],
  ['calls-quality', 'k1', '/guardian/calls/call-quality?per_page=50'],
  ['cases', '20808', '/cm/core/va/cases?per_page=500'],
  ['cases/fields', '1', '/cm/meta/va/fields'],
  ['guardian/cases', 'g1', '/guardian/cases?per_page=50'],
  ['guardian/users', 'u1', '/guardian/users?per_page=50'],
  ['insights/available-queries', 'l1', '/live-queries?per_page=50'],
  ['queues', 'q1', '/ccaas/queues?per_page=50'],
  ['ring-groups', 'agents', '/ring-groups?per_page=50'],
  ['routing/attribute-categories', 'c1', '/attributes-categories?per_page=50'],
  ['routing/attributes', 'a1', '/attributes?per_page=50'],
  ['service-providers-resource-types', 'User', '/scim/v2/ResourceTypes'],
  ['users/resource-types', 'User', '/scim/v2/ResourceTypes'],
  ['v2/users', 'u1', '/scim/v2/Users?startIndex=1&count=50'],
])('%s are read where Talkdesk documents them', async (object, id, path) => {
  await using at = await open()
  expect((await readAll(at.connector, { object, fields: [] })).map((record) => record.id)).toEqual([id])
  expect(asked(at.seen)).toEqual([`GET ${path}`])
})

it('a read of changed cases asks for the window', async () => {
  await using at = await open()
  const since = new Date('2022-11-01T01:43:29Z')
  const until = new Date('2022-11-17T01:43:29Z')
  await at.connector.readPage({ object: 'cases', fields: [], since, until })
  expect(at.seen[0]?.url.searchParams.get('update_at')).toBe('["2022-11-01T01:43:28Z","2022-11-17T01:43:29Z"]')
})

it('contacts are asked for without deleted ones, and one of them is in an envelope', async () => {
  await using at = await open()
  expect(await readAll(at.connector, { object: 'contacts', fields: [] })).toMatchObject([{ id: 'p1' }])
  expect(await at.connector.fetchRecord('contacts', 'p1', 'all')).toMatchObject({ fields: { name: 'Joey' } })
  expect(asked(at.seen)).toEqual(['GET /contacts?per_page=50', 'GET /contacts/p1'])
})
