import { expect, it } from 'vitest'
import type { ReadPage } from '../../connector.ts'
import { plainHttp, type SeenRequest, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'
import { createConnector } from '../create-connector.ts'
import { decodePage, encodePage, isOfQuery } from '../page-token.ts'

/** A query whose result has numbered parts, of which only the first has columns. */
const parts = `read:
  method: POST
  path: /queries
  query: { run: 'yes' }
  headers: { X-Kind: query }
  body: { text: 'all {{object}}' }
  records: data
  total: meta.rows
  rows: { columns: meta.columns }
  paging:
    kind: result
    id: handle
    keep: { place: at.place }
    pending: { status: 202 }
    parts: meta.parts
    count: meta.rows
    request: { path: '/queries/{{result.id}}', query: { part: '{{result.part}}', place: '{{result.place}}' } }`
/** The same with cursors. */
const cursors = `read:
  method: POST
  path: /queries
  body: { text: all }
  records: data
  mayLackRecords: true
  rows: { columns: columns }
  paging:
    kind: result
    id: job
    pending: { when: { done: false } }
    everySeconds: 5
    next: next
    count: count
    request: { path: '/queries/{{result.id}}', query: { after: '{{cursor}}' } }`

type Answer = { status?: number; body: unknown; headers?: Record<string, string> }

/**
 * Answers by method, path and query, in order; the last one of a request is repeated.
 *
 * @param tookMs how long each request takes
 */
async function opened(object: string, answers: Record<string, Answer[]>, tookMs = 0) {
  const left = new Map(Object.entries(answers).map(([at, list]) => [at, [...list]]))
  const seen: SeenRequest[] = []
  let clock = Date.parse('2026-03-04T05:06:07Z')
  const server = await startServer((request) => {
    seen.push(request)
    clock += tookMs
    const list = left.get(`${request.method} ${request.url.pathname}${request.url.search}`)
    const answer = list !== undefined && list.length > 1 ? list.shift() : list?.[0]
    return (
      answer ?? { status: 418, body: { message: `${request.method} ${request.url.pathname}${request.url.search}` } }
    )
  })
  const pauses: number[] = []
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'key' } } as const
  const pause = async (ms: number) => {
    pauses.push(ms)
    clock += ms
  }
  const connector = () =>
    createConnector(thingsProvider(object), connection, plainHttp(fetch), { pause, now: () => clock })
  return { seen, pauses, connector, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const things = { object: 'things', fields: 'all', mayWait: true } as const

async function pagesOf(at: Awaited<ReturnType<typeof opened>>, page?: string): Promise<ReadPage[]> {
  const pages: ReadPage[] = []
  let next = page
  do {
    // Another connector for each page: a process may have ended in between.
    const found = await at.connector().readPage({ ...things, ...(next && { page: next }) })
    pages.push(found)
    next = found.nextPage
    if (pages.length > 20) throw new Error('The read does not end.')
  } while (next !== undefined)
  return pages
}

const rowsOf = (pages: ReadPage[]) => pages.map(({ records }) => records.map(({ raw }) => raw))
const running: Answer = { status: 202, body: { handle: 'h/1', at: { place: 'eu' } } }
const first = (more: object = {}): Answer => ({
  body: {
    handle: 'h/1',
    meta: { columns: ['id', 'n'], parts: [{}, {}], rows: 3, ...more },
    data: [
      ['1', 'a'],
      ['2', 'b'],
    ],
  },
})
const whole = {
  'POST /api/queries?run=yes': [running],
  'GET /api/queries/h%2F1?place=eu': [running, first()],
  'GET /api/queries/h%2F1?part=1&place=eu': [{ body: { data: [['3', 'c']] } }],
}

it('the result is waited for, and its later parts have the columns of the first', async () => {
  await using at = await opened(parts, whole)
  const pages = await pagesOf(at)
  expect(rowsOf(pages)).toEqual([
    [
      { id: '1', n: 'a' },
      { id: '2', n: 'b' },
    ],
    [{ id: '3', n: 'c' }],
  ])
  expect(pages[0]?.total).toBe(3)
  expect(at.pauses).toEqual([2000, 2000])
  expect(at.seen.map(({ method, body }) => [method, body])).toEqual([
    ['POST', '{"text":"all things"}'],
    ['GET', ''],
    ['GET', ''],
    ['GET', ''],
  ])
  expect(at.seen.every(({ headers }) => headers['x-kind'] === 'query' && headers['x-api-key'] === 'key')).toBe(true)
})

it('cursors: each part is asked for once, and a part may have the columns itself', async () => {
  const columns = ['id']
  await using at = await opened(cursors, {
    'POST /api/queries': [{ body: { done: false, job: 'j' } }],
    'GET /api/queries/j': [{ body: { done: true, job: 'j', columns, data: [['1']], next: 'x', count: '3' } }],
    'GET /api/queries/j?after=x': [{ body: { done: true, columns, data: [['2']], next: 'y', count: '3' } }],
    'GET /api/queries/j?after=y': [{ body: { done: true, columns, data: [['3']], count: '3' } }],
  })
  expect(rowsOf(await pagesOf(at))).toEqual([[{ id: '1' }], [{ id: '2' }], [{ id: '3' }]])
})

it('a result without rows is an empty list', async () => {
  await using at = await opened(cursors, {
    'POST /api/queries': [{ body: { done: true, job: 'j', columns: ['id'], count: '0' } }],
  })
  expect(rowsOf(await pagesOf(at))).toEqual([[]])
})

it('a result that takes long is waited for outside of the request, and the read continues with it', async () => {
  await using at = await opened(parts, { ...whole, 'GET /api/queries/h%2F1?place=eu': [running] })
  const { records, nextPage, waitMs } = await at.connector().readPage(things)
  expect([records, waitMs, at.pauses.length]).toEqual([[], 2000, 5])
  expect(at.seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(decodePage(nextPage ?? '').result).toMatchObject({ id: 'h/1', values: { place: 'eu' }, waitedMs: 12_000 })
  await using later = await opened(parts, { ...whole, 'POST /api/queries?run=yes': [] })
  expect(rowsOf(await pagesOf(later, nextPage)).flat()).toHaveLength(3)
  expect(later.seen.map(({ method }) => method)).not.toContain('POST')
})

it('the time of requests counts as waited for: a provider may keep them until the result is there', async () => {
  await using at = await opened(parts, { ...whole, 'GET /api/queries/h%2F1?place=eu': [running] }, 7000)
  const { waitMs, nextPage } = await at.connector().readPage(things)
  expect([at.seen.length, at.pauses, waitMs]).toEqual([2, [2000], 3200])
  expect(decodePage(nextPage ?? '').result?.waitedMs).toBe(19_200)
})

it.each([
  [3_000, 2_000],
  [100_000, 20_000],
  [3_600_000, 60_000],
])('a result that was waited for for %i ms is asked for once, and again %i ms later', async (waitedMs, wait) => {
  await using at = await opened(parts, { 'GET /api/queries/h%2F1?place=eu': [running] })
  const page = encodePage({ result: { id: 'h/1', values: { place: 'eu' }, waitedMs } })
  const { waitMs, nextPage } = await at.connector().readPage({ ...things, page })
  expect([at.seen.length, at.pauses, waitMs]).toEqual([1, [], wait])
  expect(decodePage(nextPage ?? '').result?.waitedMs).toBe(waitedMs + wait)
})

it('parts with equal rows are parts like others', async () => {
  const equal = [['DE'], ['DE']]
  const columns = ['country']
  const body = { handle: 'h/1', meta: { columns, parts: 6, rows: 12 }, data: equal }
  const rest = [1, 2, 3, 4, 5].map((part) => [`GET /api/queries/h%2F1?part=${part}`, [{ body: { data: equal } }]])
  await using at = await opened(parts, { 'POST /api/queries?run=yes': [{ body }], ...Object.fromEntries(rest) })
  expect(rowsOf(await pagesOf(at)).flat()).toHaveLength(12)
})

const uncounted = cursors.replace('    count: count\n', '')
const pageOf = (next?: string, more: object = {}): Answer[] => [
  { body: { done: true, job: 'j', columns: ['id'], data: [['1']], next, ...more } },
]

it('cursors whose rows are equal are read to the last one, without a number of rows', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const list = names.map((name, at) => [`GET /api/queries/j?after=${name}`, pageOf(names[at + 1])])
  await using at = await opened(uncounted, { 'POST /api/queries': pageOf('a'), ...Object.fromEntries(list) })
  expect(rowsOf(await pagesOf(at))).toHaveLength(8)
})

it('cursors that lead back are an error', async () => {
  await using at = await opened(uncounted, {
    'POST /api/queries': pageOf('a'),
    'GET /api/queries/j?after=a': pageOf('b'),
    'GET /api/queries/j?after=b': pageOf('a'),
  })
  await expect(pagesOf(at)).rejects.toMatchObject({ class: 'endless_pages' })
})

it('more rows than there should be are an error before the last part', async () => {
  await using at = await opened(cursors, {
    'POST /api/queries': pageOf('a', { count: 1 }),
    'GET /api/queries/j?after=a': pageOf('b', { count: 1 }),
  })
  await expect(pagesOf(at)).rejects.toThrow('should have 1 rows, and 2 arrived')
  expect(at.seen).toHaveLength(2)
})

it('a longer wait that the provider asks for is kept, and a result that never comes starts again', async () => {
  const busy: Answer = { ...running, headers: { 'retry-after': '60' } }
  await using at = await opened(parts, { ...whole, 'POST /api/queries?run=yes': [busy] })
  const { waitMs, nextPage } = await at.connector().readPage(things)
  expect([waitMs, at.pauses]).toEqual([60_000, []])
  const state = decodePage(nextPage ?? '')
  const page = encodePage({ ...state, result: { id: 'h/1', values: { place: 'eu' }, waitedMs: 86_399_000 } })
  await using never = await opened(parts, { 'GET /api/queries/h%2F1?place=eu': [running] })
  await expect(never.connector().readPage({ ...things, page })).rejects.toMatchObject({
    class: 'cursor_gone',
  })
})

it('a caller that does not wait gets an error, and not an empty page', async () => {
  await using at = await opened(parts, { ...whole, 'GET /api/queries/h%2F1?place=eu': [running] })
  const read = at.connector().readPage({ object: 'things', fields: 'all' })
  await expect(read).rejects.toMatchObject({ class: 'provider_5xx', retryAfterMs: 2000 })
})

it('a list of deleted records that is not there yet is waited for, after the records', async () => {
  const object = `${parts.replace("query: { run: 'yes' }", "query: { run: '{{kind}}', since: '{{since}}' }")}
set: { kind: changed }
incremental: {}
deletions: { list: { query: { run: deleted } } }`
  const since = new Date('2026-03-04T05:06:07Z')
  const at = '&since=2026-03-04T05%3A06%3A07.000Z'
  const busy: Answer = { ...running, headers: { 'retry-after': '60' } }
  await using open = await opened(object, {
    [`POST /api/queries?run=changed${at}`]: [first({ parts: [{}], rows: 2 })],
    [`POST /api/queries?run=deleted${at}`]: [busy],
    'GET /api/queries/h%2F1?place=eu': [{ body: { ...(first().body as object), data: [] } }],
  })
  const page = await open.connector().readPage({ ...things, since, deletions: true })
  expect([page.records.length, page.waitMs, page.nextPage !== undefined]).toEqual([2, 60_000, true])
})

it('a sample of fields does not take a result that is not there for an empty one', async () => {
  await using at = await opened(parts, { ...whole, 'GET /api/queries/h%2F1?place=eu': [running] })
  await expect(at.connector().describeObject('things')).rejects.toMatchObject({ class: 'provider_5xx' })
})

it.each<[string, Record<string, Answer[]>, string, string]>([
  [
    'no id of the result',
    { 'POST /api/queries?run=yes': [{ status: 202, body: { handle: '' } }] },
    'unexpected_response',
    'no id of the result',
  ],
  [
    'a page of HTML in place of a status',
    { 'POST /api/queries?run=yes': [{ status: 202, body: '<html><title>Sign in</title></html>' }] },
    'unexpected_response',
    'Sign in',
  ],
  [
    'fewer rows than there should be',
    { 'POST /api/queries?run=yes': [first({ parts: [{}] })] },
    'unexpected_response',
    'should have 3 rows, and 2 arrived',
  ],
  [
    'more rows than there should be',
    { 'POST /api/queries?run=yes': [first({ parts: [{}], rows: 1 })] },
    'unexpected_response',
    'should have 1 rows, and 2 arrived',
  ],
  [
    'no number of rows',
    { 'POST /api/queries?run=yes': [first({ rows: undefined })] },
    'unexpected_response',
    'no number of rows',
  ],
  [
    'no number of parts',
    { 'POST /api/queries?run=yes': [first({ parts: undefined })] },
    'unexpected_response',
    'how many parts',
  ],
  [
    'a refusal of the query',
    { 'POST /api/queries?run=yes': [{ status: 422, body: { message: 'no such table' } }] },
    'bad_request',
    '422',
  ],
  [
    'a part that is there no more',
    { ...whole, 'GET /api/queries/h%2F1?part=1&place=eu': [{ status: 404, body: {} }] },
    'cursor_gone',
    'does not have the result',
  ],
  [
    'a refusal in place of the result',
    { ...whole, 'GET /api/queries/h%2F1?place=eu': [running, { status: 422, body: { message: 'division by zero' } }] },
    'cursor_gone',
    'The query has failed: The provider answered with status 422',
  ],
  [
    'a result that the account may not read',
    { ...whole, 'GET /api/queries/h%2F1?place=eu': [{ status: 403, body: {} }] },
    'forbidden',
    '403',
  ],
  [
    'a part with other columns',
    {
      ...whole,
      'GET /api/queries/h%2F1?part=1&place=eu': [{ body: { meta: { columns: ['id'] }, data: [['3', 'c']] } }],
    },
    'unexpected_response',
    '2 cells, and there are 1 columns',
  ],
  [
    'a part with rows of another length',
    { ...whole, 'GET /api/queries/h%2F1?part=1&place=eu': [{ body: { data: [['3']] } }] },
    'unexpected_response',
    '1 cells, and there are 2 columns',
  ],
  [
    'a last part without its rows',
    { ...whole, 'GET /api/queries/h%2F1?part=1&place=eu': [{ body: { data: [] } }] },
    'unexpected_response',
    'should have 3 rows, and 2 arrived',
  ],
])('%s is an error', async (_, answers, kind, message) => {
  await using at = await opened(parts, answers)
  const read = pagesOf(at)
  await expect(read).rejects.toMatchObject({ class: kind })
  await expect(read).rejects.toThrow(message)
})

it('a cursor that leads to itself is an error', async () => {
  const same = { body: { done: true, job: 'j', columns: ['id'], data: [['1']], next: 'x', count: '9' } }
  await using at = await opened(cursors, { 'POST /api/queries': [same], 'GET /api/queries/j?after=x': [same] })
  await expect(pagesOf(at)).rejects.toThrow('names the page just read as the next one')
})

it('a failed query is reported with the status and the words of the provider', async () => {
  const failed = { status: 422, body: { message: 'division by zero' } }
  await using at = await opened(parts, { ...whole, 'GET /api/queries/h%2F1?place=eu': [failed] })
  await expect(pagesOf(at)).rejects.toMatchObject({
    class: 'cursor_gone',
    status: 422,
    providerMessage: 'division by zero',
    rawResponse: '{"message":"division by zero"}',
  })
})

it('a page token says whether it is a position in the result of a query', () => {
  expect(isOfQuery(encodePage({ result: { id: 'h', values: {} } }))).toBe(true)
  for (const token of [encodePage({ cursor: 'c' }), encodePage({}), 'none']) expect(isOfQuery(token)).toBe(false)
})

it('a page token with columns that are none is not used', () => {
  const token = (columns: unknown) =>
    Buffer.from(JSON.stringify({ result: { id: 'h', values: {}, columns } })).toString('base64url')
  expect(decodePage(token([{ name: 'a', inner: [{ name: 'b' }] }])).result?.id).toBe('h')
  for (const columns of ['a', [1], [{ name: 1 }], [{ name: 'a', inner: [{}] }]])
    expect(decodePage(token(columns)).result).toBeUndefined()
})

it('a file is refused that reads a result for each parent', () => {
  expect(() => thingsProvider(parts.replace('  records: data', '  records: data\n  each: { path: /parents }'))).toThrow(
    'cannot be used with results of queries',
  )
})

it.each([
  ['/queries', 'must use {{result.id}}'],
  [`'/queries/{{result.id}}'`, 'must use {{result.part}}'],
  [`'/queries/{{result.id}}/{{result.part}}/{{result.other}}'`, 'which "keep" does not have'],
])('a file is refused whose requests for the result go to %s', (path, message) => {
  const paging = `{ kind: result, id: a, pending: { status: 202 }, parts: b, request: { path: ${path} } }`
  expect(() => thingsProvider(`read: { path: /things, paging: ${paging} }`)).toThrow(message)
})
