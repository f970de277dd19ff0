import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** Three pages of contacts, as docs.apollo.io/reference/search-for-contacts shows them. */
const times = ['2026-01-03T00:00:00Z', '2026-01-02T00:00:00Z', '2025-12-01T00:00:00Z']

function apollo() {
  return openProvider('apollo', ({ body }) => {
    const { page } = JSON.parse(body) as { page: number }
    const contacts = [{ id: `c${page}`, updated_at: times[page - 1] }]
    return { body: { contacts, pagination: { page, per_page: 100, total_entries: 201, total_pages: 3 } } }
  })
}

const requested = (page: number, field: string, ascending: boolean) =>
  `POST /api/v1/contacts/search {"page":${page},"per_page":100,"sort_by_field":"${field}","sort_ascending":${ascending}}`

it('all contacts are read from the oldest to the newest', async () => {
  await using provider = await apollo()
  const ids = (await readAll(provider.connector, { object: 'contacts', fields: [] })).map(({ id }) => id)
  expect(ids).toEqual(['c1', 'c2', 'c3'])
  expect(asked(provider.seen)).toEqual([1, 2, 3].map((number) => requested(number, 'contact_created_at', true)))
})

it('a window begins with the newest change and ends at the first older one', async () => {
  await using provider = await apollo()
  const request = { object: 'contacts', fields: [], since: new Date('2026-01-01T00:00:00Z') }
  const ids = (await readAll(provider.connector, request)).map(({ id }) => id)
  expect(ids).toEqual(['c1', 'c2'])
  expect(asked(provider.seen)).toEqual([1, 2, 3].map((number) => requested(number, 'contact_updated_at', false)))
})

it('a search that reaches the limit of 50,000 records is not taken for all of them', async () => {
  await using provider = await openProvider('apollo', ({ body }) => {
    const { page } = JSON.parse(body) as { page: number }
    const contacts = Array.from({ length: 100 }, (_, at) => ({ id: `${page}-${at}` }))
    return { body: { contacts, pagination: { page, per_page: 100, total_entries: 60_000, total_pages: 500 } } }
  })
  const all = readAll(provider.connector, { object: 'contacts', fields: [] })
  await expect(all).rejects.toMatchObject({ class: 'list_truncated' })
  expect(provider.seen).toHaveLength(500)
})
