import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

it('events that changed since a time begin a second earlier, because the filter may leave out that second', async () => {
  await using provider = await openProvider('livestorm', () => ({ body: { data: [], meta: { page_count: 1 } } }), {
    credential: { scheme: 'apiKey', apiKey: 'key' },
  })
  const since = new Date('2026-01-01T00:00:00Z')
  const until = new Date('2026-01-02T00:00:00Z')
  await readAll(provider.connector, { object: 'events', fields: ['title'], since, until })
  expect(asked(provider.seen)).toEqual([
    'GET /v1/events?page[number]=0&page[size]=50&filter[updated_since]=1767225599&filter[updated_until]=1767312000',
  ])
})
