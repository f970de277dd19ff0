import { expect, it } from 'vitest'
import { openProvider } from './testing/open-provider.testkit.ts'

it('a short page with more behind it is not the last', async () => {
  await using opened = await openProvider('superSend', ({ url }) => {
    const first = url.searchParams.get('offset') === '0'
    return { body: { senders: [{ id: first ? 's1' : 's2' }], pagination: { has_more: first } } }
  })
  const { connector, seen } = opened
  const request = { object: 'senders', fields: ['id'] }
  const { nextPage = '' } = await connector.readPage(request)
  await expect(connector.readPage({ ...request, page: nextPage })).resolves.toMatchObject({
    records: [{ id: 's2' }],
    nextPage: undefined,
  })
  expect(seen.map(({ url }) => url.search)).toEqual(['?limit=100&offset=0', '?limit=100&offset=1'])
})
