import { describe, expect, it } from 'vitest'
import { createConnector } from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { recordingHttp } from './recording-http.ts'
import { tryObject } from './try-object.ts'

/** Provider files that lose or repeat records, against a real server. */

const now = new Date('2026-03-01T00:00:00Z')
const dayMs = 86_400_000
/** One thing a day: two days ago, three days ago, and so on. */
const things = Array.from({ length: 7 }, (_, at) => ({
  id: `t${at}`,
  updated: new Date(now.getTime() - (at + 2) * dayMs).toISOString(),
}))
type Thing = Record<string, unknown>

/** Lists things in pages by cursor, and knows `since` and `until`. */
function list({ url }: SeenRequest, all: readonly Thing[] = things): Answer {
  const { since, until, cursor = '0', limit = '100' } = Object.fromEntries(url.searchParams)
  const found = all.filter(
    ({ updated }) => (!since || String(updated) >= since) && (!until || String(updated) <= until),
  )
  const end = Number(cursor) + Number(limit)
  const data = found.slice(Number(cursor), end)
  return { body: { data, ...(end < found.length && { next: String(end) }) } }
}

const query = `query: { limit: '{{pageSize}}', cursor: '{{cursor}}' }`
const paging = 'paging: { kind: cursor, next: next }'
const read = `read: { path: /things, ${query}, records: data, ${paging} }`
const window = `incremental: { read: { query: { since: '{{since}}', until: '{{until}}' } } }`

async function trying(object: string, answer: (request: SeenRequest) => Answer = list, { writes = false } = {}) {
  await using server = await startServer(answer)
  const entry = thingsProvider(object)
  const http = plainHttp(fetch)
  const recording = recordingHttp(http, { origins: new Set([server.origin]), secrets: () => ['key-1'] })
  const connection = {
    metadata: { baseUrl: server.origin },
    credential: { scheme: 'apiKey', apiKey: 'key-1' },
  } as const
  const connector = createConnector(entry, connection, recording.http, { now: () => now.getTime() })
  const declared = entry.file?.sets.get('')?.objects.get('things')
  const signal = AbortSignal.timeout(60_000)
  const tried = await tryObject(connector, 'things', declared, { recording, now, signal, writes })
  const findings = tried.findings.map(({ level, message }) => `${level} ${message}`)
  return {
    ...tried,
    findings: findings.filter((finding) => !finding.includes('sample record')),
    asked: tried.requests.map(({ step, url }) => `${step} ${new URL(url).search}`),
    seen: server.seen,
  }
}

describe('a good file', () => {
  it('is read in two pages each way, and asked for the future once', async () => {
    const { findings, asked, reads } = await trying(`${read}\n${window}`)
    expect(findings).toEqual([])
    expect(asked.filter((request) => !request.startsWith('describe'))).toEqual([
      'backfill ?limit=1',
      'backfill ?limit=1&cursor=1',
      'scheduled ?limit=1&since=2026-02-28T00%3A00%3A00.000Z&until=2026-03-01T00%3A00%3A00.000Z',
      'scheduled ?limit=1&since=2025-03-02T00%3A00%3A00.000Z&until=2026-03-01T00%3A00%3A00.000Z',
      'scheduled ?limit=1&cursor=1&since=2025-03-02T00%3A00%3A00.000Z&until=2026-03-01T00%3A00%3A00.000Z',
      'future ?limit=1&since=2026-03-02T00%3A00%3A00.000Z&until=2026-03-03T00%3A00%3A00.000Z',
    ])
    expect(reads).toEqual([
      { kind: 'backfill', request: 'read', because: 'the full history is read', step: 'backfill' },
      { kind: 'triggered', request: 'read', because: 'the full history is read', step: 'backfill' },
      { kind: 'scheduled', request: 'incremental.read', because: 'the window has a beginning', step: 'scheduled' },
    ])
  })

  it('without a window is read once, for every kind of read', async () => {
    const { reads, asked } = await trying(read)
    expect(reads.map(({ kind, request, step }) => `${kind} ${request} ${step}`)).toEqual([
      'backfill read backfill',
      'triggered read backfill',
      'scheduled read backfill',
    ])
    expect(asked.filter((request) => !/^(?:describe|backfill)/.test(request))).toEqual([])
  })

  it('shows that one list serves all reads where it says so', async () => {
    const everything = window.replace('incremental: {', 'incremental: { reach: everything,')
    const { reads } = await trying(`${read}\n${everything}`)
    expect(reads.map(({ request }) => request)).toEqual(Array(3).fill('incremental.read'))
  })

  it('is not blamed for an account with one record, nor for an application that refuses the future', async () => {
    const one = await trying(`${read}\n${window}`, (request) => list(request, things.slice(0, 1)))
    expect(one.findings).toEqual([])
    const strict = await trying(`${read}\n${window}`, (request) =>
      (request.url.searchParams.get('since') ?? '') > now.toISOString() ? { status: 400 } : list(request),
    )
    expect(strict.findings).toEqual([])
  })
})

describe('is found', () => {
  it('a cursor that is elsewhere in the answer', async () => {
    const { findings } = await trying(read.replace('next: next', 'next: meta.next'))
    expect(findings).toEqual([
      'error next page: no page follows a page of 1 record, but there are at least 2. Check `paging`.',
    ])
  })

  it('a page that an application fills whatever is asked for, and that leads to no other', async () => {
    const { findings } = await trying(read.replace('next: next', 'next: meta.next'), () => ({ body: { data: things } }))
    expect(findings).toEqual([expect.stringMatching(/^warning next page: the page is full \(7 records, 1 requested\)/)])
  })

  it('no full page where the request names no size', async () => {
    const { findings } = await trying('read: { path: /things, records: data }')
    expect(findings).toEqual([])
  })

  it('no record that two overlapping periods have', async () => {
    const periods = `read:
  path: /things
  query: { from: '{{period.start}}', to: '{{period.end}}' }
  records: data
  periods: { format: date, days: 20, overlapDays: 10, from: '2000-01-01' }`
    const inBoth = () => ({ body: { data: [{ id: '1' }] } })
    expect((await trying(periods, inBoth)).findings).toEqual([])
    const { findings } = await trying(periods.replace(' overlapDays: 10,', ''), inBoth)
    expect(findings).toEqual([expect.stringMatching(/starts with the record of the first page/)])
  })

  it('a window that is paged by a parameter that the application does not know', async () => {
    const byCursor = window.replace('query: {', "query: { cursor: null, after: '{{cursor}}',")
    const { findings } = await trying(`${read}\n${byCursor}`)
    expect(findings).toEqual([expect.stringMatching(/^error scheduled read: The provider names the page just read as/)])
    const byOffset = window.replace(
      'read: { query: {',
      "read: { paging: { kind: offset }, query: { cursor: null, start: '{{offset}}',",
    )
    expect((await trying(`${read}\n${byOffset}`)).findings).toContainEqual(
      expect.stringMatching(/^error next page of the scheduled read: it starts with the record of the first page/),
    )
  })

  it('a window whose cursor is elsewhere', async () => {
    const changed = window.replace('read: {', 'read: { paging: { next: meta.next },')
    const { findings } = await trying(`${read}\n${changed}`)
    expect(findings).toEqual([
      expect.stringMatching(/^error next page of the scheduled read: no page follows a page of 1 record/),
    ])
  })

  it('a time filter that the application ignores', async () => {
    const changed = window.replace('since:', 'changed_after:').replace('until:', 'changed_before:')
    const { findings } = await trying(`${read}\n${changed}`)
    expect(findings).toEqual([expect.stringMatching(/^error window in the future: .*ignores the time filter/)])
  })

  it('a record without an id, on any page', async () => {
    const some = things.map((thing, at) => (at === 1 ? { updated: thing.updated } : thing))
    const { findings } = await trying(read, (request) => list(request, some))
    expect(findings).toEqual(['error read: the record has no id; set `id` to its path.'])
  })

  it('a record that comes on two pages', async () => {
    const twice = things.map((thing, at) => ({ ...thing, id: 't0', at }))
    const { findings } = await trying(read, (request) => list(request, twice))
    expect(findings).toEqual([expect.stringMatching(/^warning next page: the id "t0" appears more than once/)])
  })
})

describe('a write that the application refuses', () => {
  const invalid = "Thing t0: Status 'banana' isn't a valid status"
  const write = (rest = '') =>
    `${read}\nwrite: { update: { path: '/things/{{id}}', refused: { status: banana }${rest} }, create: { path: /things, refused: { status: banana } } }`
  const answer = (request: SeenRequest): Answer =>
    request.method === 'GET' ? list(request) : { body: [`${invalid} key-1`] }

  it('is not sent unless it is asked for', async () => {
    const { seen, writes } = await trying(write(), answer)
    expect([writes, seen.filter(({ method }) => method !== 'GET')]).toEqual([[], []])
  })

  it('and that Mortise takes for a success, is an error that shows what came', async () => {
    const { findings, writes, seen } = await trying(write(), answer, { writes: true })
    expect(writes).toEqual([
      { type: 'create', outcome: 'written', message: `["${invalid} [secret]"]` },
      { type: 'update', id: 't0', outcome: 'written', message: `["${invalid} [secret]"]` },
    ])
    expect(findings).toEqual(
      writes.map(({ type }) => expect.stringMatching(`^error write: .* response to the ${type} `)),
    )
    expect(seen.slice(-2).map(({ method, url, body }) => `${method} ${url.pathname} ${body}`)).toEqual([
      'POST /api/things {"status":"banana"}',
      'PATCH /api/things/t0 {"status":"banana"}',
    ])
  })

  it('shows the reason where the file declares what a refusal looks like', async () => {
    const declared = write(`, answer: { refusals: { list: '', matches: "isn't a valid" } }`)
    const { findings, writes } = await trying(declared, answer, { writes: true })
    expect(writes[1]).toMatchObject({ outcome: 'refused', message: expect.stringContaining(invalid) as unknown })
    expect(findings).toHaveLength(1)
  })

  it('names a record that does not exist where the file gives none, and creates nothing', async () => {
    const file = `${read}\nwrite: { update: { path: '/things/{{id}}' }, create: { path: /things } }`
    const { findings, writes, seen } = await trying(
      file,
      (request) => (request.method === 'GET' ? list(request) : { status: 404, body: { message: 'No such thing.' } }),
      { writes: true },
    )
    expect(writes).toMatchObject([{ type: 'update', id: 'mortise-no-such-record', outcome: 'refused' }])
    expect(seen.filter(({ method }) => method !== 'GET').map(({ method }) => method)).toEqual(['PATCH'])
    expect(findings).toEqual([expect.stringMatching(/^warning write: create was not tested/)])
  })
})
