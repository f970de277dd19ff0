import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developer.zendesk.com/api-reference/sales-crm shows as answers, as far as the provider file relies on it. */

const item = (id: number, updated_at: string) => ({
  data: { id, name: `Contact ${id}`, updated_at },
  meta: { type: 'contact' },
})

function sell({ method, url, headers, body }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  const refusal = (status: number, code: string, field: string, details: string): Answer => ({
    status,
    body: { errors: [{ error: { resource: 'contact', field, code, message: 'short', details } }], meta: {} },
  })
  if (headers['authorization'] !== 'Bearer k1') return refusal(401, 'unauthorized', '', 'No token.')
  if (method === 'GET' && pathname === '/v2/contacts') {
    if (Number(searchParams.get('per_page')) > 100) return refusal(422, 'invalid', 'per_page', 'Too large.')
    const self = `http://api.getbase.com/v2/contacts?page=${searchParams.get('page') ?? 1}&per_page=100`
    return searchParams.get('page') === '2'
      ? { body: { items: [item(2, '2026-01-02T00:00:00Z')], meta: { links: { self } } } }
      : {
          body: {
            items: [item(1, '2026-01-01T00:00:00Z')],
            meta: { links: { self, next_page: 'http://api.getbase.com/v2/contacts?page=2&per_page=100' } },
          },
        }
  }
  if (method === 'DELETE') return { status: 204 }
  const { data } = JSON.parse(body) as { data: { last_name?: string } }
  return data.last_name === undefined
    ? refusal(422, 'blank', 'last_name', "The last_name can't be blank.")
    : { body: { data: { id: 3, ...data }, meta: { type: 'contact' } } }
}

const options = { credential: { scheme: 'apiKey', apiKey: 'k1' } } as const

async function idsOf(since?: Date) {
  await using provider = await openProvider('zendeskSell', sell, options)
  const more = { ...(since && { since }) }
  const ids = (await readAll(provider.connector, { object: 'contacts', fields: ['name'], ...more })).map(({ id }) => id)
  return { ids, requests: asked(provider.seen) }
}

it('contacts are read to the last page, whatever host the next page is said to be on', async () => {
  const { ids, requests } = await idsOf()
  expect(ids).toEqual(['1', '2'])
  expect(requests).toEqual(['GET /v2/contacts?per_page=100', 'GET /v2/contacts?per_page=100&page=2'])
  expect((await idsOf(new Date('2026-01-01T12:00:00Z'))).ids).toEqual(['2'])
})

it('contacts are created, changed and deleted in their envelope; a refusal says why', async () => {
  await using provider = await openProvider('zendeskSell', sell, options)
  const { connector, seen } = provider
  const record = { last_name: 'Lovelace' }
  const created = await connector.write({ object: 'contacts', type: 'create', record })
  expect(created).toMatchObject({ recordId: '3', data: record })
  await connector.write({ object: 'contacts', type: 'update', id: '3', record })
  await connector.write({ object: 'contacts', type: 'delete', id: '3', record: {} })
  expect(asked(seen)).toEqual([
    'POST /v2/contacts {"data":{"last_name":"Lovelace"}}',
    'PUT /v2/contacts/3 {"data":{"last_name":"Lovelace"}}',
    'DELETE /v2/contacts/3',
  ])
  await expect(connector.write({ object: 'contacts', type: 'create', record: {} })).rejects.toMatchObject({
    class: 'bad_request',
    errors: [{ message: "last_name: The last_name can't be blank." }],
  })
})

it('leads are requested by their change, newest first, and a read of changes ends at the first older one', async () => {
  const lead = (id: number, updated_at: string) => ({ data: { id, updated_at } })
  await using provider = await openProvider(
    'zendeskSell',
    ({ url }) =>
      url.searchParams.get('page') === '2'
        ? { body: { items: [lead(1, '2026-01-01T00:00:00Z')], meta: { links: {} } } }
        : {
            body: {
              items: [lead(3, '2026-01-03T00:00:00Z'), lead(2, '2026-01-01T06:00:00Z')],
              meta: { links: { next_page: 'http://api.getbase.com/v2/leads?page=2' } },
            },
          },
    options,
  )
  const { connector, seen } = provider
  expect(await readAll(connector, { object: 'leads', fields: ['id'] })).toHaveLength(3)
  const changed = { object: 'leads', fields: ['id'], since: new Date('2026-01-01T12:00:00Z') }
  expect((await readAll(connector, changed)).map(({ id }) => id)).toEqual(['3'])
  expect(asked(seen)).toEqual([
    'GET /v2/leads?per_page=100&sort_by=updated_at:desc',
    'GET /v2/leads?per_page=100&page=2&sort_by=updated_at:desc',
    'GET /v2/leads?per_page=100&sort_by=updated_at:desc',
  ])
})
