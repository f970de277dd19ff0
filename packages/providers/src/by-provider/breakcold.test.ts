import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

it('leads are read from page 0 to the last page', async () => {
  await using provider = await openProvider('breakcold', ({ body }) => {
    const { pagination } = JSON.parse(body) as { pagination: { page: number; page_size: number } }
    const count = pagination.page === 0 ? pagination.page_size : 1
    return { body: { leads: Array.from({ length: count }, (_, index) => ({ id: `${pagination.page}-${index}` })) } }
  })
  const first = await provider.connector.readPage({ object: 'leads', fields: [] })
  const last = await provider.connector.readPage({ object: 'leads', fields: [], page: first.nextPage ?? '' })
  expect(first.records).toHaveLength(100)
  expect(last).toMatchObject({ records: [{ id: '1-0' }], nextPage: undefined })
  expect(asked(provider.seen)).toEqual([
    'POST /rest/leads/list {"pagination":{"page":0,"page_size":100}}',
    'POST /rest/leads/list {"pagination":{"page":1,"page_size":100}}',
  ])
})
