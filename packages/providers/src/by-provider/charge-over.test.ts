import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developer.chargeover.com shows as responses, as far as the provider file relies on it. */

const connection = { metadata: { workspace: 'acme' } }
const ok = (response: unknown): Answer => ({ body: { code: 200, status: 'OK', message: '', response } })

function chargeOver({ method, url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (pathname === '/api/v3/customer/9')
    return { status: 400, body: { code: 400, status: 'Error', message: 'No such customer.' } }
  if (method !== 'GET') return ok(method === 'DELETE' ? true : { id: 7 })
  if (searchParams.has('where'))
    return ok([
      { customer_id: 7, external_key: 'abc' },
      { customer_id: 8, external_key: 'abcd' },
    ])
  const from = Number(searchParams.get('offset'))
  const all = Array.from({ length: 501 }, (_, index) => ({
    customer_id: index + 1,
    mod_datetime: '2026-01-01T00:00:00-05:00',
  }))
  return ok(all.slice(from, from + Number(searchParams.get('limit'))))
}

it('customers are read to the last page', async () => {
  await using provider = await openProvider('chargeOver', chargeOver, connection)
  const first = await provider.connector.readPage({ object: 'customer', fields: [] })
  const last = await provider.connector.readPage({ object: 'customer', fields: [], page: first.nextPage ?? '' })
  expect(first.records).toHaveLength(500)
  expect(last).toMatchObject({ records: [{ id: '501' }], nextPage: undefined })
  expect(asked(provider.seen)).toEqual([
    'GET /api/v3/customer?limit=500&offset=0&order=customer_id:ASC',
    'GET /api/v3/customer?limit=500&offset=500&order=customer_id:ASC',
  ])
})

it('customers are created, changed, deleted and found', async () => {
  await using provider = await openProvider('chargeOver', chargeOver, connection)
  const { connector } = provider
  const object = 'customer'
  expect(await connector.write({ object, type: 'create', record: { company: 'A' } })).toMatchObject({ recordId: '7' })
  await connector.write({ object, type: 'update', id: '7', record: { company: 'B' } })
  await connector.write({ object, type: 'delete', id: '7', record: {} })
  await connector.write({ object: 'package', type: 'delete', id: '3', record: {} })
  const filters = [{ field: 'external_key', operator: 'eq', value: 'abc' }] as const
  expect((await connector.search({ object, fields: [], filters })).records).toMatchObject([{ id: '7' }])
  expect(asked(provider.seen)).toEqual([
    'POST /api/v3/customer {"company":"A"}',
    'PUT /api/v3/customer/7 {"company":"B"}',
    'DELETE /api/v3/customer/7',
    'POST /api/v3/package/3?action=cancel {}',
    'GET /api/v3/customer?limit=500&offset=0&order=customer_id:ASC&where=external_key:EQUALS:abc',
  ])
  const refused = connector.write({ object, type: 'update', id: '9', record: { company: 'C' } })
  await expect(refused).rejects.toMatchObject({ class: 'bad_request', providerMessage: 'No such customer.' })
})

it('a comma in a value does not start another condition', async () => {
  await using provider = await openProvider('chargeOver', chargeOver, connection)
  const search = (value: string) =>
    provider.connector.search({
      object: 'customer',
      fields: [],
      filters: [{ field: 'company', operator: 'eq', value }],
    })
  await search('Acme, Inc.')
  expect(asked(provider.seen)).toEqual([
    'GET /api/v3/customer?limit=500&offset=0&order=customer_id:ASC&where=company:EQUALS:Acme\\, Inc.',
  ])
  await expect(search('Acme\\')).rejects.toMatchObject({ class: 'bad_request' })
  expect(provider.seen).toHaveLength(1)
})

it.each(['customer', 'invoice'])('%s records that changed are requested from the day before on', async (object) => {
  const records = ['2025-12-31T11:59:59-00:00', '2026-01-01T12:00:00-00:00'].map((mod_datetime, index) => ({
    [`${object}_id`]: index,
    mod_datetime,
  }))
  await using provider = await openProvider('chargeOver', () => ok(records), connection)
  const since = new Date('2026-01-02T12:00:00Z')
  const read = await provider.connector.readPage({ object, fields: [], since })
  expect(read.records.map(({ id }) => id)).toEqual(['1'])
  expect(provider.seen[0]?.url.searchParams.get('where')).toBe('mod_datetime:GTE:2026-01-01T00\\:00\\:00+00\\:00')
  await provider.connector.readPage({ object, fields: [] })
  expect(provider.seen[1]?.url.searchParams.has('where')).toBe(false)
})
