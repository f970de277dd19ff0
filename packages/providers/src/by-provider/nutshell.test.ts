import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.nutshell.com says of lists, as far as the provider file relies on it. */

const credential = { scheme: 'basic', username: 'ada@example.com', password: 'key' } as const

it('a list without pages is read once, however long it is', async () => {
  const products = Array.from({ length: 100 }, (_, index) => ({ id: `${index}-products` }))
  await using provider = await openProvider('nutshell', () => ({ body: { products } }), { credential })
  expect(await readAll(provider.connector, { object: 'products', fields: ['name'] })).toHaveLength(100)
  expect(asked(provider.seen)).toEqual(['GET /rest/products'])
})

it('notes have pages, of which the first is 0', async () => {
  const answer = ({ url }: { url: URL }) => {
    const length = url.searchParams.get('page[page]') === '0' ? 100 : 1
    return { body: { notes: Array.from({ length }, (_, index) => ({ id: `${length}${index}-notes` })) } }
  }
  await using provider = await openProvider('nutshell', answer, { credential })
  expect(await readAll(provider.connector, { object: 'notes', fields: ['body'] })).toHaveLength(101)
  expect(asked(provider.seen)).toEqual([
    'GET /rest/notes?page[limit]=100&page[page]=0',
    'GET /rest/notes?page[limit]=100&page[page]=1',
  ])
})
