import { expect, it } from 'vitest'
import type { ProviderHttp } from '../connector.ts'
import { plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { openProvider } from '../testing/open-provider.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { connected, ids, readAll } from '../testing/things-reader.testkit.ts'
import { createConnector } from './create-connector.ts'

const day = (text: string) => new Date(`${text}T00:00:00Z`)
const object = `read:
  path: /things
  query: { from: '{{since}}', to: '{{until}}', page: '{{page}}' }
  records: data
  total: total
  pageSizeMax: 2
  paging: { kind: page, pages: pages }
incremental: { format: date, overlapSeconds: 86400, stepDays: 10, history: 25 }`

it('a window that is too long for one request is read in parts, each to its last page', async () => {
  await connected(
    object,
    ({ url }) => {
      const { from, to, page } = Object.fromEntries(url.searchParams)
      return { body: { data: [{ id: `${from}/${to}/${page}` }], pages: from === '2026-01-10' ? 2 : 1, total: 9 } }
    },
    async (connector) => {
      const window = { since: day('2026-01-02'), until: day('2026-01-25') }
      expect(ids(await readAll(connector, window)).flat()).toEqual([
        // From a day earlier, because the filter lags behind; ten days with both ends.
        '2026-01-01/2026-01-10/1',
        '2026-01-10/2026-01-19/1',
        '2026-01-10/2026-01-19/2',
        '2026-01-19/2026-01-25/1',
      ])
      const first = await connector.readPage({ object: 'things', fields: 'all', ...window })
      // The provider counts the records of one part.
      expect(first.total).toBeUndefined()
      const short = await connector.readPage({ object: 'things', fields: 'all', ...window, since: day('2026-01-20') })
      expect([short.total, short.nextPage]).toEqual([9, undefined])
    },
  )
})

it('a window without an end is read until now, also where later pages are requested later', async () => {
  let now = day('2026-01-12').getTime()
  const seen: string[] = []
  await using zoom = await openProvider(
    'zoom',
    ({ url }) => {
      seen.push(url.search)
      return { body: { meetings: [{ uuid: String(seen.length) }], next_page_token: '' } }
    },
    { now: () => now },
  )
  const request = { object: 'recordings', fields: ['topic'], since: day('2025-12-02') }
  const first = await zoom.connector.readPage(request)
  now += 86_400_000
  const last = await zoom.connector.readPage({ ...request, page: first.nextPage ?? '' })
  expect(last.nextPage).toBeUndefined()
  expect(seen).toEqual(['?page_size=300&from=2025-12-01&to=2025-12-28', '?page_size=300&from=2025-12-28&to=2026-01-12'])
})

it('a window ends no later than the provider allows', async () => {
  const settled = object.replace('format: date', 'format: rfc3339Seconds, settleSeconds: 180')
  await connected(
    settled,
    ({ url }) => ({ body: { data: [{ id: url.searchParams.get('to') }], pages: 1 } }),
    async (connector) => {
      const last = day('2026-01-05')
      const now = Date.now()
      const [past] = ids(await readAll(connector, { since: day('2026-01-04'), until: last })).flat()
      expect(past).toBe('2026-01-05T00:00:00Z')
      for (const until of [new Date(now), undefined]) {
        const window = { since: new Date(now - 86_400_000), ...(until && { until }) }
        const [to] = ids(await readAll(connector, window)).flat()
        expect(Date.parse(to ?? '')).toBeLessThanOrEqual(Date.now() - 180_000)
      }
    },
  )
})

it('a full read begins where the history of the provider begins', async () => {
  await using zoom = await openProvider('zoom', () => ({ body: { meetings: [] } }), {
    now: () => day('2013-02-02').getTime(),
  })
  const first = await zoom.connector.readPage({ object: 'recordings', fields: ['topic'] })
  expect(zoom.seen[0]?.url.search).toBe('?page_size=300&from=2012-12-31&to=2013-01-27')
  await zoom.connector.readPage({ object: 'recordings', fields: ['topic'], page: first.nextPage ?? '' })
  expect(zoom.seen[1]?.url.search).toBe('?page_size=300&from=2013-01-27&to=2013-02-02')
})

it('a file is refused whose parts would have no end', () => {
  const withoutEnd = object.replace("to: '{{until}}', ", '')
  expect(() => thingsProvider(withoutEnd)).toThrow('needs {{until}} in a request')
})

it('parts of whole days do not overlap, and the last day is read', async () => {
  await connected(
    object.replace('stepDays: 10', 'stepDays: 2, upperBound: inclusive'),
    ({ url }) => ({
      body: { data: [{ id: `${url.searchParams.get('from')}/${url.searchParams.get('to')}` }], pages: 1 },
    }),
    async (connector) => {
      const window = { since: new Date('2026-01-02T22:00:00Z'), until: new Date('2026-01-05T03:00:00Z') }
      expect(ids(await readAll(connector, window)).flat()).toEqual([
        '2026-01-01/2026-01-02',
        '2026-01-03/2026-01-04',
        '2026-01-05/2026-01-05',
      ])
    },
  )
  const file = (steps: string) => () =>
    thingsProvider(object.replace('format: date, ', '').replace('stepDays: 10', steps))
  expect(file('stepDays: 3, upperBound: inclusive')).toThrow('needs `stepDays` and `format: date`')
  expect(file('format: date, stepDays: 1')).toThrow('at least 2')
  const unread = object.replace('overlapSeconds: 86400', 'settleSeconds: 180')
  expect(() => thingsProvider(unread)).toThrow('`overlapSeconds` of at least as many')
})

const refused = `errors:
  rules: [{ status: 422, is: list_truncated }]`
const times = `read:
  path: /things
  query: { from: '{{since}}', to: '{{until}}', page: '{{page}}' }
  records: data
  pageSizeMax: 2
  paging: { kind: page, pages: pages }
incremental: { format: rfc3339Seconds, stepDays: 10 }`
const tooLong = { status: 422, body: { message: 'Too many.' } }
const minutes = ({ url }: Pick<SeenRequest, 'url'>) => {
  const [from, to] = ['from', 'to'].map((name) => Date.parse(url.searchParams.get(name) ?? ''))
  return ((to ?? 0) - (from ?? 0)) / 60_000
}

it('a part that is refused at its second page is read again by halves', async () => {
  await connected(
    times,
    (request) => {
      const { from, page } = Object.fromEntries(request.url.searchParams)
      const isLong = minutes(request) > 60
      if (isLong && page === '2') return tooLong
      return { body: { data: [{ id: `${from}/${page}` }], pages: isLong ? 2 : 1 } }
    },
    async (connector) => {
      const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-01T02:00:00Z') }
      expect(ids(await readAll(connector, window)).flat()).toEqual([
        '2026-01-01T00:00:00Z/1',
        '2026-01-01T00:00:00Z/1',
        '2026-01-01T01:00:00Z/1',
      ])
    },
    refused,
  )
})

it('a part whose response has too many bytes is read by halves', async () => {
  await using server = await startServer(({ url }) => ({ body: { data: [{ id: url.searchParams.get('from') }] } }))
  const http: ProviderHttp = async (request) => {
    const url = new URL(request.url)
    if (minutes({ url }) > 60) throw Object.assign(new Error('Too many bytes.'), { kind: 'too_large' })
    return plainHttp(fetch)(request)
  }
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  const connector = createConnector(thingsProvider(times), connection, http)
  const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-01T02:00:00Z') }
  expect(ids(await readAll(connector, window)).flat()).toEqual(['2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'])
  const sends: ProviderHttp = () => Promise.reject(Object.assign(new Error('Reset.'), { kind: 'reset' }))
  await expect(readAll(createConnector(thingsProvider(times), connection, sends), window)).rejects.toThrow('Reset.')
})

it('halving ends at the shortest part with the error', async () => {
  await connected(
    times,
    () => tooLong,
    async (connector, seen) => {
      const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-01T00:40:00Z') }
      await expect(readAll(connector, window)).rejects.toMatchObject({ class: 'list_truncated' })
      expect(seen.map(minutes)).toEqual([40, 20, 10])
    },
    refused,
  )
})

it('a list of parents that is refused is not read by halves, because they are in no part', async () => {
  const each = times.replace(
    'path: /things',
    "path: '/parents/{{parent.id}}/things'\n  each: { path: /parents, records: data, paging: { kind: none } }",
  )
  await connected(
    each,
    () => tooLong,
    async (connector, seen) => {
      const window = { since: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-01T00:40:00Z') }
      await expect(readAll(connector, window)).rejects.toMatchObject({ class: 'list_truncated' })
      expect(seen).toHaveLength(1)
    },
    refused,
  )
})
