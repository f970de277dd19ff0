import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from './testing/open-provider.testkit.ts'

it.each(['placements', 'source_types'])('%s are read to the last page', async (object) => {
  const metadata = { workspace: 'acme.app.loxo.co', agencySlug: 'acme' }
  await using provider = await openProvider(
    'loxo',
    ({ url }) => ({
      body: url.searchParams.has('scroll_id')
        ? { scroll_id: null, total_count: 2, [object]: [{ id: 2 }] }
        : { scroll_id: 's2', total_count: 2, [object]: [{ id: 1 }] },
    }),
    { metadata, credential: { scheme: 'apiKey', apiKey: 'key' } },
  )
  const records = await readAll(provider.connector, { object, fields: [] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
  expect(asked(provider.seen)).toEqual([`GET /api/acme/${object}`, `GET /api/acme/${object}?scroll_id=s2`])
})
