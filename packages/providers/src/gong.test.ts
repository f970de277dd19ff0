import { expect, it } from 'vitest'
import { openProvider } from './testing/open-provider.testkit.ts'

/** What the recorded answers of Gong do not show. */

const metadata = { api_base_url_for_customer: 'https://us-1.api.gong.io' }

it('a window in which nobody called is empty, though Gong calls that an error', async () => {
  const body = { requestId: 'r', errors: ['No calls found corresponding to the provided filters'] }
  await using at = await openProvider('gong', () => ({ status: 404, body }), { metadata })
  const since = new Date('2026-01-02T00:00:00Z')
  const until = new Date('2026-01-03T00:00:00Z')
  const page = await at.connector.readPage({ object: 'transcripts', fields: 'all', since, until })
  expect(page).toEqual({ records: [], nextPage: undefined })
  expect(JSON.parse(at.seen[0]?.body ?? '')).toEqual({
    filter: { fromDateTime: '2026-01-01T00:00:00.000Z', toDateTime: '2026-01-03T00:00:00.000Z' },
  })
})

it('everything about calls is everything that Gong can say of them', async () => {
  await using at = await openProvider('gong', () => ({ body: { calls: [] } }), { metadata })
  await at.connector.readPage({ object: 'calls', fields: 'all' })
  const { contentSelector } = JSON.parse(at.seen[0]?.body ?? '') as { contentSelector: { exposedFields: object } }
  expect(Object.keys(contentSelector.exposedFields)).toEqual([
    'parties',
    'media',
    'content',
    'interaction',
    'collaboration',
  ])
})
