import { expect, it } from 'vitest'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** What developers.intercom.com says of searches and lists, as far as the provider file relies on it. */

interface Filter {
  field?: string
  operator: string
  value: string | Filter[]
}

const dayOf = (seconds: number) => Math.floor(seconds / 86_400)

/** As a search of contacts: times are days in UTC. */
function holds(filter: Filter, updated: number): boolean {
  const { operator, value } = filter
  if (Array.isArray(value))
    return operator === 'OR' ? value.some((one) => holds(one, updated)) : value.every((one) => holds(one, updated))
  const [is, wanted] = [dayOf(updated), dayOf(Number(value))]
  return operator === '=' ? is === wanted : operator === '>' ? is > wanted : is < wanted
}

it('contacts that changed on the day of the window are found, although a search knows days alone', async () => {
  const at = (time: string) => Date.parse(time) / 1000
  const contacts = [
    { id: 'before', updated_at: at('2026-03-01T08:00:00Z') },
    { id: 'within', updated_at: at('2026-03-01T12:30:00Z') },
    { id: 'after', updated_at: at('2026-03-01T18:00:00Z') },
    { id: 'tomorrow', updated_at: at('2026-03-02T00:00:00Z') },
  ]
  await using provider = await openProvider('intercom', ({ body }) => {
    const { query } = JSON.parse(body) as { query: Filter }
    return { body: { data: contacts.filter(({ updated_at }) => holds(query, updated_at)), pages: {} } }
  })
  const since = new Date('2026-03-01T12:00:00Z')
  const until = new Date('2026-03-01T13:00:00Z')
  const found = await readAll(provider.connector, { object: 'contacts', fields: ['id'], since, until })
  expect(found.map(({ id }) => id)).toEqual(['within'])
})

it('companies end with an error at the limit of Intercom, because there may be more', async () => {
  await using provider = await openProvider('intercom', ({ url }) => {
    const page = Number(url.searchParams.get('page') ?? 1)
    const data = Array.from({ length: 50 }, (_, index) => ({ id: `${page}-${index}` }))
    const next = page < 200 ? `https://api.intercom.io/companies?per_page=50&page=${page + 1}` : null
    return { body: { data, pages: { page, next } } }
  })
  const read = readAll(provider.connector, { object: 'companies', fields: ['id'] })
  await expect(read).rejects.toThrow('at most 10000')
})

it('archived data attributes are listed', async () => {
  await using provider = await openProvider('intercom', () => ({ body: { data: [] } }))
  await provider.connector.readPage({ object: 'data_attributes', fields: ['name'] })
  expect(asked(provider.seen)).toEqual(['GET /data_attributes?include_archived=true'])
})

it('calls have pages of 25, and articles are read until the first that changed before the window', async () => {
  const since = new Date('2026-03-01T12:00:00Z')
  const at = since.getTime() / 1000
  await using provider = await openProvider('intercom', ({ url }) => {
    const page = Number(url.searchParams.get('page') ?? 1)
    if (url.pathname === '/calls') return { body: { data: [{ id: `call${page}` }], pages: { page, total_pages: 2 } } }
    const next = 'https://api.intercom.io/articles?per_page=50&page=2'
    return {
      body: {
        data: [
          { id: 'new', updated_at: at + 5 },
          { id: 'old', updated_at: at - 5 },
        ],
        pages: { next },
      },
    }
  })
  const { connector, seen } = provider
  expect((await readAll(connector, { object: 'calls', fields: ['id'] })).map(({ id }) => id)).toEqual([
    'call1',
    'call2',
  ])
  expect(seen[0]?.headers).toMatchObject({ 'intercom-version': '2.14' })
  expect((await readAll(connector, { object: 'articles', fields: ['id'], since })).map(({ id }) => id)).toEqual(['new'])
  expect(asked(seen)).toEqual([
    'GET /calls?page=1&per_page=25',
    'GET /calls?page=2&per_page=25',
    'GET /articles?per_page=50',
  ])
})

it('a deleted reason of an away status is a deletion, and ticket states are listed', async () => {
  await using provider = await openProvider('intercom', ({ url }) =>
    url.pathname === '/ticket_states'
      ? { body: { type: 'list', data: [{ id: 's' }] } }
      : {
          body: [
            { id: 'a', deleted: false, updated_at: 1772366400 },
            { id: 'b', deleted: true, updated_at: 1772366400 },
          ],
        },
  )
  const { connector } = provider
  const window = { since: new Date('2026-03-01T00:00:00Z'), deletions: true }
  const reasons = await readAll(connector, { object: 'away_status_reasons', fields: ['label'], ...window })
  expect(reasons.map(({ id, deleted = false }) => [id, deleted])).toEqual([
    ['a', false],
    ['b', true],
  ])
  expect((await readAll(connector, { object: 'ticket_states', fields: [] })).map(({ id }) => id)).toEqual(['s'])
})
