import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What www.campaignmonitor.com/api/v3-3 shows as responses, as far as the provider file relies on it. */

function campaignMonitor({ method, url }: SeenRequest): Answer {
  const { pathname, searchParams } = url
  if (method === 'POST') return { status: 201, body: '"l1"' }
  if (method !== 'GET') return { status: 200 }
  if (pathname === '/api/v3.3/clients.json') return { body: [{ ClientID: 'a' }, { ClientID: 'b' }] }
  if (/^\/api\/v3\.3\/clients\/\w\/lists\.json$/.test(pathname))
    return { body: pathname.includes('/a/') ? [{ ListID: 'l1', Name: 'News' }] : [] }
  const state = /^\/api\/v3\.3\/lists\/l1\/(\w+)\.json$/.exec(pathname)?.[1]
  if (state !== undefined) {
    const number = Number(searchParams.get('page'))
    const EmailAddress = `${state}${number}@example.com`
    return { body: { Results: [{ EmailAddress, State: state }], NumberOfPages: state === 'active' ? 2 : 1 } }
  }
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

it('subscribers of every list are read in every state', async () => {
  await using provider = await openProvider('campaignMonitor', campaignMonitor)
  const { connector, seen } = provider
  const records = await readAll(connector, { object: 'subscribers', fields: ['State'] })
  expect(records.map(({ id }) => id)).toEqual([
    'l1/active1%40example.com',
    'l1/active2%40example.com',
    'l1/bounced1%40example.com',
    'l1/unconfirmed1%40example.com',
    'l1/unsubscribed1%40example.com',
  ])
  await connector.write({ object: 'subscribers', type: 'delete', id: 'l1/active1%40example.com', record: {} })
  expect(asked(seen).at(-1)).toBe('DELETE /api/v3.3/subscribers/l1.json?email=active1@example.com')
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

it('one person of two clients is two records, and each is changed and deleted at its client', async () => {
  const person = { EmailAddress: 'ada@example.com', Name: 'Ada' }
  await using provider = await openProvider('campaignMonitor', ({ method, url }) => {
    if (method === 'POST') return { status: 201, body: { EmailAddress: person.EmailAddress } }
    if (url.pathname === '/api/v3.3/clients.json') return { body: [{ ClientID: 'a' }, { ClientID: 'b' }] }
    return { body: url.pathname.endsWith('/people.json') ? [person] : { Results: [person], NumberOfPages: 1 } }
  })
  const { connector, seen } = provider
  for (const object of ['people', 'suppressionlist']) {
    const found = await readAll(connector, { object, fields: [] })
    expect(found.map(({ id }) => id)).toEqual(['a/ada%40example.com', 'b/ada%40example.com'])
  }
  const object = 'people'
  const id = 'b/ada%40example.com'
  const record = { ClientID: 'b', ...person }
  expect(await connector.write({ object, type: 'create', record })).toMatchObject({ recordId: id })
  await connector.write({ object, type: 'update', id, record: { Name: 'Ada L' } })
  await connector.write({ object, type: 'delete', id, record: {} })
  expect(asked(seen).slice(-3)).toEqual([
    'POST /api/v3.3/clients/b/people.json {"EmailAddress":"ada@example.com","Name":"Ada"}',
    'PUT /api/v3.3/clients/b/people.json?email=ada@example.com {"Name":"Ada L"}',
    'DELETE /api/v3.3/clients/b/people.json?email=ada@example.com',
  ])
})
