import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What docs.oracle.com shows as answers of NetSuite, as far as the provider file relies on it. */

const given = { module: 'restapi', metadata: { workspace: 'td1' } }

function netsuite({ method, url }: SeenRequest): Answer {
  const { pathname } = url
  if (method === 'POST' && pathname.endsWith('/suiteql'))
    return { body: { items: [{ id: '5' }, { id: '9' }], hasMore: false, totalResults: 2 } }
  if (method === 'POST')
    return {
      status: 204,
      headers: { Location: 'https://td1.suitetalk.api.netsuite.com/services/rest/record/v1/invoice/12' },
    }
  if (method !== 'GET') return { status: 204 }
  if (pathname.endsWith('/metadata-catalog/invoice'))
    return {
      body: {
        type: 'object',
        properties: {
          id: { title: 'Internal ID', type: 'string', nullable: true },
          tranDate: { title: 'Date', type: 'string', format: 'date' },
          total: { title: 'Total', type: 'number', format: 'double', readOnly: true },
        },
      },
    }
  if (pathname.endsWith('/invoice'))
    return { body: { items: [{ id: '5', links: [] }], hasMore: false, totalResults: 1 } }
  return pathname.endsWith('/5')
    ? { body: { id: '5', tranId: 'INV5', total: 3 } }
    : { status: 404, body: { title: 'Not found', 'o:errorDetails': [{ detail: 'The record does not exist.' }] } }
}

it('a full read requests each record that the list names', async () => {
  await using provider = await openProvider('netsuite', netsuite, given)
  const records = await readAll(provider.connector, { object: 'invoice', fields: ['tranId'] })
  expect(records).toMatchObject([{ id: '5', fields: { tranid: 'INV5' } }])
  expect(asked(provider.seen)).toEqual([
    'GET /services/rest/record/v1/invoice?limit=200&offset=0',
    'GET /services/rest/record/v1/invoice/5',
  ])
})

it('a window asks a query for what changed, a day earlier', async () => {
  await using provider = await openProvider('netsuite', netsuite, given)
  const since = new Date('2026-01-02T00:00:00Z')
  const records = await readAll(provider.connector, { object: 'invoice', fields: ['tranId'], since })
  expect(records.map(({ id }) => id)).toEqual(['5'])
  const [query] = provider.seen
  expect(query?.headers['prefer']).toBe('transient')
  expect(query?.url.pathname).toBe('/services/rest/query/v1/suiteql')
  expect(JSON.parse(query?.body ?? '')).toEqual({
    q:
      "SELECT id FROM transaction WHERE lastmodifieddate >= TO_TIMESTAMP_TZ('2026-01-01 00:00:00 +00:00', " +
      "'YYYY-MM-DD HH24:MI:SS TZH:TZM') AND type = 'CustInvc' ORDER BY id",
  })
})

it.each([
  ['nonInventorySaleItem', 'NonInvtPart'],
  ['serviceSaleItem', 'Service'],
])('a window of %s asks the table of items', async (object, type) => {
  await using provider = await openProvider('netsuite', netsuite, given)
  const since = new Date('2026-01-02T00:00:00Z')
  await readAll(provider.connector, { object, fields: ['itemId'], since })
  expect(JSON.parse(provider.seen[0]?.body ?? '')).toEqual({
    q:
      "SELECT id FROM item WHERE lastmodifieddate >= TO_TIMESTAMP_TZ('2026-01-01 00:00:00 +00:00', " +
      `'YYYY-MM-DD HH24:MI:SS TZH:TZM') AND itemtype = '${type}' AND subtype = 'Sale' ORDER BY id`,
  })
})

it('fields are those of the metadata catalog, and a new record has its id in a header', async () => {
  await using provider = await openProvider('netsuite', netsuite, given)
  const { connector } = provider
  const { fields } = await connector.describeObject('invoice')
  expect(fields).toMatchObject({
    tranDate: { displayName: 'Date', valueType: 'date' },
    total: { valueType: 'float', readOnly: true },
  })
  const object = 'invoice'
  expect(await connector.write({ object, type: 'create', record: { memo: 'a' } })).toMatchObject({ recordId: '12' })
  expect(await connector.write({ object, type: 'update', id: '12', record: { memo: 'b' } })).toMatchObject({
    recordId: '12',
  })
})
