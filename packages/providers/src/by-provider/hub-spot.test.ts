import { expect, it } from 'vitest'
import { createConnector, loadCatalogue, type ReadPageRequest } from '../index.ts'
import { plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { readAll } from '../testing/open-provider.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

/** What the recorded answers do not show: reads of everything, searches past their end, keys beside OAuth. */

const bodyOf = ({ body }: SeenRequest) => JSON.parse(body) as Record<string, unknown>

async function connect(answer: (request: SeenRequest) => unknown) {
  const server = await startServer((request) => ({ body: answer(request) }))
  const entry = (await loadCatalogue({ cacheDir: testCache })).find('hubspot')
  if (entry === undefined) throw new Error('no hubspot')
  const rewrite = { from: 'https://api.hubapi.com', to: server.origin }
  const connection = { metadata: {}, credential: { scheme: 'apiKey', apiKey: 'pat-1' } } as const
  return { server, connector: createConnector(entry, connection, plainHttp(fetch, rewrite)) }
}

const properties = (names: string[]) => ({ results: names.map((name) => ({ name, label: name, type: 'string' })) })

it('a private app token is sent as bearer token', async () => {
  const { server, connector } = await connect(() => ({}))
  await using _ = server
  await connector.checkHealth()
  expect(server.seen[0]?.url.pathname).toBe('/integrations/v1/me')
  expect(server.seen[0]?.headers['authorization']).toBe('Bearer pat-1')
})

it('a read of everything asks for every property, which it looks up once', async () => {
  const { server, connector } = await connect(({ url }) =>
    url.pathname.startsWith('/crm/v3/objects/')
      ? { results: [{ id: '1', properties: { email: 'a@b.example', City: null } }] }
      : properties(['email', 'City']),
  )
  await using _ = server
  const { records } = await connector.readPage({ object: 'contacts', fields: 'all' })
  await connector.readPage({ object: 'contacts', fields: 'all' })
  expect(records[0]?.fields).toEqual({ id: '1', email: 'a@b.example', city: null })
  const asked = server.seen.map(({ url }) => url.pathname)
  expect(asked.filter((path) => path === '/crm/v3/properties/contacts')).toHaveLength(1)
  expect(server.seen.at(-1)?.url.searchParams.get('properties')).toBe('email,City')
})

it('nested names ask for the property they lie in', async () => {
  const { server, connector } = await connect(() => ({ results: [{ id: '1', properties: { email: 'a@b.example' } }] }))
  await using _ = server
  const fields = ["$['properties']['email']", 'email', "$['phone']['x']"]
  const { records } = await connector.readPage({ object: 'contacts', fields })
  expect(server.seen[0]?.url.searchParams.get('properties')).toBe('email,phone')
  expect(records[0]?.fields).toEqual({ "$['properties']['email']": 'a@b.example', email: 'a@b.example' })
})

it('more properties than a URL holds are asked for by search, to its last page', async () => {
  const names = Array.from({ length: 400 }, (_, index) => `a_rather_long_property_name_${index}`)
  const { server, connector } = await connect((request) => {
    const { url, method } = request
    const paging = method === 'POST' && bodyOf(request)['after'] === undefined ? { next: { after: '1' } } : undefined
    if (method === 'POST') return { total: 2, results: [{ id: '1', properties: {} }], paging }
    return url.pathname === '/crm/v3/properties/contacts' ? properties(names) : {}
  })
  await using _ = server
  const request: ReadPageRequest = { object: 'contacts', fields: 'all', pageSize: 1 }
  const first = await connector.readPage(request)
  await connector.readPage({ ...request, page: first.nextPage ?? '' })
  const [search, next] = server.seen.filter(({ method }) => method === 'POST')
  if (search === undefined || next === undefined) throw new Error('no search')
  expect(search.url.href).toBe('http://server/crm/v3/objects/contacts/search')
  expect(Object.keys(bodyOf(search))).toEqual(['sorts', 'properties', 'limit'])
  expect(bodyOf(search)['properties']).toEqual(names)
  expect(bodyOf(next)['after']).toBe('1')
})

it('one record with more properties than a URL holds has all of them, from requests by its id', async () => {
  const names = Array.from({ length: 900 }, (_, index) => `a_rather_long_property_name_${index}`)
  const { server, connector } = await connect((request) => {
    const { url, method } = request
    if (url.pathname === '/crm/v3/properties/contacts') return properties(names)
    const wanted = method === 'POST' ? bodyOf(request)['properties'] : url.searchParams.get('properties')?.split(',')
    const known = (wanted as string[]).filter((name) => names.includes(name))
    const values = Object.fromEntries(known.map((name) => [name, `the ${name}`]))
    const record = { id: '7', updatedAt: '2026-01-01T00:00:00Z', properties: values }
    return method === 'POST' ? { results: [record] } : record
  })
  await using _ = server
  const record = await connector.fetchRecord('contacts', '7', names)
  expect(record?.fields).toEqual(Object.fromEntries(names.map((name) => [name, `the ${name}`])))
  const [first, ...others] = server.seen.filter(({ url }) => url.pathname.startsWith('/crm/objects/'))
  expect(first?.url.href.length).toBeLessThan(15_000)
  expect(others.length).toBeGreaterThan(0)
  for (const other of others) {
    expect([other.method, other.url.pathname]).toEqual(['POST', '/crm/objects/2026-03/contacts/batch/read'])
    expect(bodyOf(other)['inputs']).toEqual([{ id: '7' }])
  }
})

it('a full page of a search is continued behind its last id, so that edits meanwhile move nothing', async () => {
  const page = Array.from({ length: 200 }, (_, index) => ({ id: String(1000 + index), properties: {} }))
  const { server, connector } = await connect((request) => ({
    results: page,
    paging: { next: request.body.includes('GT"') ? undefined : { after: '200' } },
  }))
  await using _ = server
  const request = { object: 'companies', fields: ['name'], since: new Date('2026-01-01T00:00:00Z') }
  const first = await connector.readPage(request)
  await connector.readPage({ ...request, page: first.nextPage ?? '' })
  const [, next] = server.seen
  if (next === undefined) throw new Error('no second page')
  expect(bodyOf(next)).toMatchObject({
    filterGroups: [
      {
        filters: [
          // A minute earlier: HubSpot’s index is late.
          { propertyName: 'hs_lastmodifieddate', operator: 'GTE', value: '2025-12-31T23:59:00.000Z' },
          { propertyName: 'hs_object_id', operator: 'GT', value: '1199' },
        ],
      },
    ],
  })
  expect(bodyOf(next)).not.toHaveProperty('after')
})

it('links to others are asked for once a page, and again only for what an answer left out; products have none', async () => {
  const { server, connector } = await connect(({ url, body }) => {
    if (!url.pathname.startsWith('/crm/associations/')) return { results: ['1', '2', '3'].map((id) => ({ id })) }
    const isMore = body.includes('after')
    const link = { toObjectId: isMore ? 8 : 7, associationTypes: [{ category: 'HUBSPOT_DEFINED', typeId: 3 }] }
    const paging = isMore ? undefined : { next: { after: 'more' } }
    return { results: [{ from: { id: '1' }, to: [link], paging }], numErrors: 2, errors: [{ status: 'error' }] }
  })
  await using _ = server
  const { records } = await connector.readPage({ object: 'deals', fields: ['dealname', 'contacts'] })
  expect(records.map(({ associations }) => associations?.['contacts'])).toEqual([[{ id: '7' }, { id: '8' }], [], []])
  expect(server.seen[0]?.url.searchParams.get('properties')).toBe('dealname')
  expect(server.seen.slice(1).map((request) => [request.url.pathname, bodyOf(request)['inputs']])).toEqual([
    ['/crm/associations/2026-03/deals/contacts/batch/read', [{ id: '1' }, { id: '2' }, { id: '3' }]],
    ['/crm/associations/2026-03/deals/contacts/batch/read', [{ id: '1', after: 'more' }]],
  ])
  server.seen.length = 0
  const filters = [{ field: 'name', operator: 'eq', value: 'a' }] as const
  await connector.search({ object: 'products', fields: ['contacts'], filters })
  expect(server.seen).toHaveLength(1)
})

it('links to custom objects are requested by their names, which are not names of properties', async () => {
  const { server, connector } = await connect(({ url }) =>
    url.pathname.startsWith('/crm/associations/')
      ? { results: [{ from: { id: '1' }, to: [{ toObjectId: 9 }] }] }
      : { results: [{ id: '1', properties: { dealname: 'a' } }] },
  )
  await using _ = server
  const { records } = await connector.readPage({ object: 'deals', fields: ['dealname', 'p123_Cars', '2-4711'] })
  expect(records[0]?.associations).toEqual({ p123_cars: [{ id: '9' }], '2-4711': [{ id: '9' }] })
  expect(server.seen[0]?.url.searchParams.get('properties')).toBe('dealname')
  expect(server.seen.slice(1).map(({ url }) => url.pathname)).toEqual([
    '/crm/associations/2026-03/deals/p123_cars/batch/read',
    '/crm/associations/2026-03/deals/2-4711/batch/read',
  ])
  const { fields } = await connector.describeObject('deals')
  expect(Object.keys(fields)).not.toContain('customObjects')
})

it('a custom object is read by its short name; the same name among fields is that of a property', async () => {
  const { server, connector } = await connect(() => ({ results: [{ id: '1', properties: { p_cars: '2' } }] }))
  await using _ = server
  await connector.readPage({ object: 'p_cars', fields: ['name'] })
  const { records } = await connector.readPage({ object: 'deals', fields: ['p_cars'] })
  expect(records).toMatchObject([{ id: '1', fields: { p_cars: '2' } }])
  expect(server.seen.map(({ url }) => [url.pathname, url.searchParams.get('properties')])).toEqual([
    ['/crm/v3/objects/p_cars', 'name'],
    ['/crm/v3/objects/deals', 'p_cars'],
  ])
})

it('custom objects are read like the standard ones; other names are not objects', async () => {
  const { server, connector } = await connect(() => ({ results: [] }))
  await using _ = server
  await connector.readPage({ object: 'p123_cars', fields: ['name'] })
  expect(server.seen[0]?.url.pathname).toBe('/crm/v3/objects/p123_cars')
  expect(connector.hasObject('2-4711')).toBe(true)
  for (const name of ['x', '2-4711/../contacts', '__proto__', 'p123_cars?x'])
    expect(connector.hasObject(name)).toBe(false)
})

it.each(['orders', 'carts', 'invoices', 'subscriptions', 'goal_targets'])(
  '%s are read as other CRM objects are',
  async (object) => {
    const { server, connector } = await connect(({ url }) =>
      url.pathname === `/crm/v3/objects/${object}` ? { results: [{ id: '7', properties: { hs_name: 'a' } }] } : {},
    )
    await using _ = server
    const { records } = await connector.readPage({ object, fields: ['hs_name'] })
    expect(records).toMatchObject([{ id: '7', fields: { hs_name: 'a' } }])
  },
)

it('owners are read to the end, active ones and archived ones, though a link names only the next page', async () => {
  const { server, connector } = await connect(({ url }) => {
    const [archived, after] = ['archived', 'after'].map((name) => url.searchParams.get(name) ?? '')
    const next = { after: '2', link: 'https://api.hubapi.com/crm/v3/owners/?after=2' }
    return { results: [{ id: `${archived}${after}` }], ...(after === '' && { paging: { next } }) }
  })
  await using _ = server
  const records = await readAll(connector, { object: 'owners', fields: ['email'] })
  expect(records.map(({ id }) => id)).toEqual(['false', 'false2', 'true', 'true2'])
})

it('owners that did not change are left out', async () => {
  const owner = (id: string, updatedAt: string) => ({ id, email: `${id}@b.example`, updatedAt })
  const { server, connector } = await connect(({ url }) =>
    url.pathname === '/crm/v3/owners'
      ? { results: [owner('1', '2026-01-01T00:00:00Z'), owner('2', '2026-02-01T00:00:00Z')] }
      : {},
  )
  await using _ = server
  const since = new Date('2026-01-15T00:00:00Z')
  const { records } = await connector.readPage({ object: 'owners', fields: ['email'], since })
  expect(records.map(({ id }) => id)).toEqual(['2'])
})

it('a search for changes begins a minute earlier, because it finds them later', async () => {
  const { server, connector } = await connect(() => ({ results: [{ id: '1', properties: {} }] }))
  await using _ = server
  await connector.readPage({ object: 'deals', fields: ['amount'], since: new Date('2026-03-01T00:01:00Z') })
  expect(bodyOf(server.seen[0] as SeenRequest)['filterGroups']).toEqual([
    { filters: [{ propertyName: 'hs_lastmodifieddate', operator: 'GTE', value: '2026-03-01T00:00:00.000Z' }] },
  ])
})

it('what HubSpot leaves out by default is requested', async () => {
  const { server, connector } = await connect(() => ({ results: [] }))
  await using _ = server
  await connector.readPage({ object: 'owners', fields: ['email'] })
  expect(server.seen.map(({ url }) => url.searchParams.get('archived'))).toEqual(['false', 'true'])
  await connector.readPage({ object: 'marketing-forms', fields: ['name'] })
  expect(server.seen.at(-1)?.url.searchParams.get('formTypes')).toBe('all')
  await connector.readPage({ object: 'marketing-emails', fields: ['stats'] })
  expect(Object.fromEntries(server.seen.at(-1)?.url.searchParams ?? [])).toMatchObject({
    includeStats: 'true',
    marketingCampaignNames: 'true',
    workflowNames: 'true',
  })
})
