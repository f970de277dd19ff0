import { expect, it } from 'vitest'
import { createConnector } from '../index.ts'
import { plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { type Answers, ids, readAll } from '../testing/things-reader.testkit.ts'

const day = (text: string) => new Date(`${text}T00:00:00Z`)
const object = `read:
  path: /things
  query: { from: '{{period.start}}', to: '{{period.end}}', page: '{{page}}' }
  records: data
  total: total
  pageSizeMax: 2
  paging: { kind: page, pages: pages }
  periods: { format: date, days: 10, overlapDays: 2, from: '2026-01-01', aheadDays: 5 }`

/** Reads with a clock that the test sets. */
async function opened(read: string, answers: Answers, { now, rest = '' }: { now: () => Date; rest?: string }) {
  const server = await startServer(answers)
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'key' } } as const
  const options = { now: () => now().getTime() }
  return {
    connector: createConnector(thingsProvider(read, rest), connection, plainHttp(fetch), options),
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  }
}

const named = ({ url }: Pick<SeenRequest, 'url'>) => {
  const { from, to, page } = Object.fromEntries(url.searchParams)
  return { body: { data: [{ id: `${from}/${to}/${page}` }], pages: from === '2026-01-06' ? 2 : 1, total: 9 } }
}

it('a list of periods is read in all of them, each to its last page, the newest first', async () => {
  await using things = await opened(object, named, { now: () => day('2026-01-17') })
  const all = [
    '2026-01-13/2026-01-22/1',
    '2026-01-06/2026-01-15/1',
    '2026-01-06/2026-01-15/2',
    // Two days earlier than the oldest record.
    '2025-12-30/2026-01-08/1',
  ]
  expect(ids(await readAll(things.connector)).flat()).toEqual(all)
  const window = { since: day('2026-01-17'), until: day('2026-01-18') }
  // A scheduled read reads them all, too: what changed may be in any.
  expect(ids(await readAll(things.connector, window)).flat()).toEqual(all)
  // The provider counts the records of one period.
  const first = await things.connector.readPage({ object: 'things', fields: 'all' })
  expect(first.total).toBeUndefined()
})

it('periods stay as they are where later pages are requested later', async () => {
  let now = day('2026-01-17')
  await using things = await opened(object, named, { now: () => now })
  const first = await things.connector.readPage({ object: 'things', fields: 'all' })
  now = day('2026-01-30')
  const rest = await readAll(things.connector, { ...(first.nextPage && { page: first.nextPage }) })
  expect(ids(rest).flat()[0]).toBe('2026-01-06/2026-01-15/1')
})

it('with a filter, unchanged records of all periods are dropped', async () => {
  const answers: Answers = ({ url }) => {
    const start = url.searchParams.get('from')
    return { body: { data: [{ id: start, changed: start?.includes('13') ? '2026-01-02' : '2026-01-17' }], pages: 1 } }
  }
  const filtered = `${object}\nincremental: { filter: { timestamp: changed } }`
  await using things = await opened(filtered, answers, { now: () => day('2026-01-17') })
  expect(ids(await readAll(things.connector, { since: day('2026-01-17') })).flat()).toEqual([
    '2026-01-06',
    '2025-12-30',
  ])
})

it('`incremental.read` may have no periods', async () => {
  const changes = `${object}
incremental: { read: { periods: null, query: { from: null, to: null, since: '{{since}}' } } }`
  const answers: Answers = ({ url }) => ({ body: { data: [{ id: url.search }], pages: 1 } })
  await using things = await opened(changes, answers, { now: () => day('2026-01-17') })
  expect(ids(await readAll(things.connector, { since: day('2026-01-17') })).flat()).toEqual([
    '?page=1&since=2026-01-17T00%3A00%3A00.000Z',
  ])
  expect(ids(await readAll(things.connector)).flat()).toHaveLength(3)
})

it('a period that is refused as too long is read by halves, without a gap', async () => {
  const answers: Answers = ({ url }) => {
    const [from, to] = ['from', 'to'].map((name) => Date.parse(url.searchParams.get(name) ?? ''))
    const days = ((to ?? 0) - (from ?? 0)) / 86_400_000
    return days > 5
      ? { status: 422, body: { message: 'Too many.' } }
      : { body: { data: [{ id: url.search.slice(1, -7) }], pages: 1 } }
  }
  const rest = `errors:
  rules: [{ status: 422, is: list_truncated }]`
  const whole = object.replace('overlapDays: 2, ', '').replace(', aheadDays: 5', '')
  await using things = await opened(whole, answers, { now: () => day('2026-01-12'), rest })
  expect(ids(await readAll(things.connector)).flat()).toEqual([
    'from=2026-01-07&to=2026-01-12',
    'from=2026-01-03&to=2026-01-07',
    'from=2026-01-01&to=2026-01-03',
  ])
})

it('a file is refused whose periods would be the same request, or would not move', () => {
  const file = (change: (text: string) => string) => () => thingsProvider(change(object))
  expect(file((text) => text.replace("to: '{{period.end}}', ", ''))).toThrow('needs {{period.end}} in the request')
  expect(file((text) => text.replace('period.end', 'period.last'))).toThrow('has only "start" and "end"')
  expect(file((text) => text.replace('overlapDays: 2', 'overlapDays: 10'))).toThrow('must be less than "days"')
  expect(file((text) => text.replace(/\n {2}periods: .*/, ''))).toThrow('needs `read.periods` of the object')
  const stepped = "incremental: { stepDays: 5, read: { query: { since: '{{since}}', until: '{{until}}' } } }"
  expect(file((text) => `${text}\n${stepped}`)).toThrow('cannot be used with `read.periods`')
  const search = "search: { query: { q: '{{filters.0.value}}' } }"
  expect(file((text) => `${text}\n${search}`)).toThrow('uses the variable "period.start"')
  const ids = 'listIds: { query: { to: null } }'
  expect(file((text) => `${text}\n${ids}`)).toThrow('needs {{period.end}} in the request')
  const withoutPeriods = "incremental: { read: { periods: null, query: { since: '{{since}}' } } }"
  expect(file((text) => `${text}\n${withoutPeriods}`)).toThrow('needs `periods`')
  expect(file((text) => text.replace("from: '2026-01-01'", 'from: soon'))).toThrow('periods.from')
})
