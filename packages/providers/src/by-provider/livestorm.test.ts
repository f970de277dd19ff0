import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

it.each([
  ['events', '&filter[updated_until]=1767312000'],
  // What changes during the read stays in this list.
  ['sessions', ''],
])('%s that changed since a time begin a second earlier, because the filter may leave it out', async (object, end) => {
  await using provider = await openProvider('livestorm', () => ({ body: { data: [], meta: { page_count: 1 } } }), {
    credential: { scheme: 'apiKey', apiKey: 'key' },
  })
  const since = new Date('2026-01-01T00:00:00Z')
  const until = new Date('2026-01-02T00:00:00Z')
  await readAll(provider.connector, { object, fields: ['title'], since, until })
  expect(asked(provider.seen)).toEqual([
    `GET /v1/${object}?page[number]=0&page[size]=50&filter[updated_since]=1767225599${end}`,
  ])
})

it('a session is changed and deleted', async () => {
  await using provider = await openProvider('livestorm', () => ({ body: { data: { id: 's1' } } }), {
    credential: { scheme: 'apiKey', apiKey: 'key' },
  })
  const record = { timezone: 'Europe/Paris' }
  await provider.connector.write({ object: 'sessions', type: 'update', id: 's1', record })
  await provider.connector.write({ object: 'sessions', type: 'delete', id: 's1', record: {} })
  expect(asked(provider.seen)).toEqual([
    'PATCH /v1/sessions/s1 {"data":{"type":"sessions","id":"s1","attributes":{"timezone":"Europe/Paris"}}}',
    'DELETE /v1/sessions/s1',
  ])
})
