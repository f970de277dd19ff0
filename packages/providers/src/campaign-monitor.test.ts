import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from './testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

/** What www.campaignmonitor.com/api/v3-3 shows as responses, as far as the provider file relies on it. */

function campaignMonitor({ method, url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'POST') return { status: 201, body: '"l1"' }
  if (method !== 'GET') return { status: 200 }
  if (pathname === '/api/v3.3/clients.json') return { body: [{ ClientID: 'a' }, { ClientID: 'b' }] }
  const client = pathname.split('/')[4]
  const page = Number(searchParams.get('page'))
  return { body: { Results: [{ CampaignID: `${client}${page}` }], NumberOfPages: client === 'a' ? 2 : 1 } }
}

it('campaigns of every client are read to the last page', async () => {
  await using provider = await openProvider('campaignMonitor', campaignMonitor)
  const found = (await readAll(provider.connector, { object: 'campaigns', fields: [] })).map(({ id, raw }) => [
    id,
    raw['ClientID'],
  ])
  expect(found).toEqual([
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
  ])
})

it('lists are created for a client, changed and deleted', async () => {
  await using provider = await openProvider('campaignMonitor', campaignMonitor)
  const { connector } = provider
  const object = 'lists'
  const record = { ClientID: 'a', Title: 'News' }
  expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: 'l1' })
  await connector.write({ object, type: 'update', id: 'l1', record: { Title: 'Old' } })
  await connector.write({ object, type: 'delete', id: 'l1', record: {} })
  expect(asked(provider.seen)).toEqual([
    'POST /api/v3.3/lists/a.json {"Title":"News"}',
    'PUT /api/v3.3/lists/l1.json {"Title":"Old"}',
    'DELETE /api/v3.3/lists/l1.json',
  ])
})
