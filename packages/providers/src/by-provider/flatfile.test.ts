import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What reference.flatfile.com shows as answers, as far as the provider file relies on it. */

it('a list goes on to an empty page, since a page may have fewer records than requested', async () => {
  await using provider = await openProvider('flatfile', ({ url }) => ({
    body: { data: url.searchParams.get('pageNumber') === '1' ? [{ id: 'us_evt_1', topic: 'job:created' }] : [] },
  }))
  const request = { object: 'events', fields: ['topic'] }
  const first = await provider.connector.readPage(request)
  expect(first.records).toMatchObject([{ id: 'us_evt_1' }])
  const last = await provider.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last).toMatchObject({ records: [], nextPage: undefined })
  expect(asked(provider.seen)).toEqual([
    'GET /v1/events?pageSize=100&pageNumber=1&includeAcknowledged=true',
    'GET /v1/events?pageSize=100&pageNumber=2&includeAcknowledged=true',
  ])
})

it('files of exports are listed, too', async () => {
  await using provider = await openProvider('flatfile', ({ url }) => ({
    body: { data: url.searchParams.get('pageNumber') === '1' ? [{ id: url.searchParams.get('mode') }] : [] },
  }))
  const files = await readAll(provider.connector, { object: 'files', fields: ['name'] })
  expect(files.map(({ id }) => id)).toEqual(['import', 'export'])
})
