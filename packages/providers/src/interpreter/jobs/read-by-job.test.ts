import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Connector, ReadPage, ReadPageRequest } from '../../connector.ts'
import { createConnector } from '../../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'

/** A provider with a list of two pages, and a job that exports all of it. */
const object = (results: string, rest = '') => `read:
  path: /things
  query: { limit: '{{pageSize}}', cursor: '{{cursor}}', since: '{{since}}' }
  records: data
  total: total
  paging: { kind: cursor, next: next }
  job:
    above: 2
    exceptTypes: [address]
    submit: { method: POST, path: /jobs, body: { columns: '{{fields}}', since: '{{since}}' }, id: id }
    poll: { path: '/jobs/{{job.id}}', state: state, done: [Done], failed: [Failed], count: count, message: why, everySeconds: 7, maxHours: 1 }
    results: ${results}
    abort: { method: DELETE, path: '/jobs/{{job.id}}' }
incremental: { format: rfc3339 }
fields:
  - source: static
    fields:
      id: { valueType: int, providerType: int }
      name: { valueType: string, providerType: text }
      isOpen: { valueType: boolean, providerType: boolean }
      at: { valueType: datetime, providerType: datetime }
      home: { valueType: other, providerType: address }
${rest}`

/** The same without a list. */
const always = 'always'

const csv = `{ path: '/jobs/{{job.id}}/rows', query: { max: '{{pageSize}}', from: '{{cursor}}' }, format: csv, pageSizeMax: 3,
      nextHeader: X-Next, lastCursor: none, types: { int: number, boolean: boolean, datetime: offsetTime } }`
const lines = `{ url: url, hosts: [files.example.com], format: ndjson }`

interface Kit extends AsyncDisposable {
  connector: () => Connector
  seen: SeenRequest[]
  origin: string
  clock: { now: number }
}

type Change = Partial<Record<string, (request: SeenRequest, count: number) => Answer | undefined>>

const rows = ['1,Ada,true,2026-01-01T00:00:00.000Z', '2,"B ""o""\nx",false,', '3,,,', '4,D,true,', '5,E,,']
const list: Answer = { body: { data: [{ id: 1 }, { id: 2 }], next: 'p2', total: 5 } }

/** @param change answers of some requests, by method and path; undefined leaves the usual answer */
async function start(results: string, change: Change = {}, rest = ''): Promise<Kit> {
  const counts = new Map<string, number>()
  const clock = { now: Date.parse('2026-02-01T00:00:00Z') }
  let origin = ''
  let jobs = 0
  const server = await startServer((request) => {
    const key = `${request.method} ${request.url.pathname.replace('/api', '')}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    const changed = change[key]?.(request, count)
    if (changed !== undefined) return changed
    if (key === 'GET /things')
      return request.url.searchParams.get('cursor') === 'p2'
        ? { body: { data: [{ id: 3 }], next: null, total: 5 } }
        : list
    if (key === 'POST /jobs') return { body: { id: `j${++jobs}` } }
    if (/^DELETE/.test(key)) return { status: 204 }
    if (/^GET \/jobs\/j\d$/.test(key))
      return { body: count === 1 ? { state: 'Running' } : { state: 'Done', count: 5, url: `${origin}/file` } }
    if (/rows$/.test(key)) {
      const from = Number(request.url.searchParams.get('from') ?? 0)
      const body = ['id,name,isOpen,at', ...rows.slice(from, from + 3), ''].join('\r\n')
      return { headers: { 'x-next': from === 0 ? '3' : 'none' }, body: from === 0 ? `\uFEFF${body}` : body }
    }
    if (key === 'GET /file')
      return { body: [1, 2, 3, 4, 5].map((id) => `${JSON.stringify({ id, name: 'ü' })}\n`).join('') }
    return { status: 404 }
  })
  origin = server.origin
  const connection = { metadata: { baseUrl: origin }, credential: { scheme: 'apiKey', apiKey: 'key' } } as const
  const file = rest === always ? object(results).replace(/above: 2\n.*\n/, 'always: true\n') : object(results, rest)
  const entry = thingsProvider(file)
  return {
    connector: () => createConnector(entry, connection, plainHttp(fetch), { now: () => clock.now }),
    seen: server.seen,
    origin,
    clock,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const request: ReadPageRequest = { object: 'things', fields: ['name', 'isOpen', 'at'], jobs: true }

/** Reads to the end; `restarts` makes a new connector for each page, as after a crash. */
async function read(
  { connector }: Kit,
  { restarts = false, ...more }: Partial<ReadPageRequest> & { restarts?: boolean } = {},
) {
  const pages: ReadPage[] = []
  let one = connector()
  let page: string | undefined
  do {
    if (restarts) one = connector()
    const found = await one.readPage({ ...request, ...more, ...(page !== undefined && { page }) })
    pages.push(found)
    page = found.nextPage
    if (pages.length > 30) throw new Error('the read does not end')
  } while (page !== undefined)
  const records = pages.flatMap((found) => found.records)
  return { pages, records, ids: records.map(({ id }) => id), notices: pages.flatMap(({ notice }) => notice ?? []) }
}

const paths = (seen: readonly SeenRequest[]) =>
  seen.map(({ method, url }) => `${method} ${url.pathname.slice(4)}${url.search}`)
const all = ['1', '2', '3', '4', '5']

describe('a long list', () => {
  it('is read by a job: submitted, polled, downloaded in parts, with the types of the list', async () => {
    await using kit = await start(csv)
    const { records, pages, notices } = await read(kit, { since: new Date('2026-01-01T00:00:00Z') })
    expect(records.map(({ fields }) => fields)).toEqual([
      { name: 'Ada', isopen: true, at: '2026-01-01T00:00:00.000+0000' },
      { name: 'B "o"\nx', isopen: false, at: null },
      { name: null, isopen: null, at: null },
      { name: 'D', isopen: true, at: null },
      { name: 'E', isopen: null, at: null },
    ])
    expect(records.map(({ id }) => id)).toEqual(all)
    expect(notices).toEqual([])
    expect(pages.map(({ waitMs }) => waitMs)).toEqual([7000, 7000, undefined, undefined])
    expect(pages[0]?.total).toBe(5)
    expect(JSON.parse(kit.seen[1]?.body ?? '')).toEqual({
      columns: 'name,isOpen,at',
      since: '2026-01-01T00:00:00.000Z',
    })
    expect(paths(kit.seen).slice(1)).toEqual([
      'POST /jobs',
      'GET /jobs/j1',
      'GET /jobs/j1',
      'GET /jobs/j1/rows?max=3',
      'GET /jobs/j1/rows?max=3&from=3',
    ])
  })

  it('goes on with the same job after a crash behind each page', async () => {
    await using kit = await start(csv)
    expect((await read(kit, { restarts: true, pageSize: 2 })).ids).toEqual(all)
    expect(paths(kit.seen).filter((path) => path === 'POST /jobs')).toHaveLength(1)
  })

  it('is followed by the list of deleted records', async () => {
    const deletions = 'deletions: { list: { path: /gone, query: { limit: null }, paging: { next: after } } }'
    const gone = ({ url }: SeenRequest) =>
      url.searchParams.get('cursor') === 'g2'
        ? { body: { data: [{ id: 8 }] } }
        : { body: { data: [{ id: 7 }], after: 'g2' } }
    const change: Change = { 'GET /gone': gone }
    const wanted = { since: new Date('2026-01-01T00:00:00Z'), deletions: true }
    for (const restarts of [false, true]) {
      await using kit = await start(csv, change, deletions)
      const { ids, records } = await read(kit, { ...wanted, restarts })
      expect(ids).toEqual([...all, '7', '8'])
      expect(records.filter(({ deleted }) => deleted === true).map(({ id }) => id)).toEqual(['7', '8'])
      expect(paths(kit.seen).filter((path) => path === 'POST /jobs')).toHaveLength(1)
      expect(paths(kit.seen).at(-1)).toBe('GET /gone?cursor=g2&since=2026-01-01T00%3A00%3A00.000Z')
    }
  })

  it('waits as long as Retry-After says', async () => {
    await using kit = await start(csv, {
      'GET /jobs/j1': (_, count) =>
        count === 1 ? { headers: { 'retry-after': '60' }, body: { state: 'New' } } : undefined,
    })
    expect((await read(kit)).pages.map(({ waitMs }) => waitMs)).toEqual([7000, 60_000, undefined, undefined])
  })
})

describe('no job is started', () => {
  it.each<[string, Partial<ReadPageRequest>, Change]>([
    ['where the caller does not want it', { jobs: false }, {}],
    ['for a list of one page', {}, { 'GET /things': () => ({ body: { data: [{ id: 1 }], next: null, total: 9 } }) }],
    [
      'for few records',
      {},
      { 'GET /things': (_, at) => ({ body: { data: [{ id: at }], next: at === 1 ? 'p2' : null, total: 2 } }) },
    ],
    ['for fields that a job does not return', { fields: ['home'] }, {}],
  ])('%s', async (_, more, change) => {
    await using kit = await start(csv, change)
    await read(kit, more)
    expect(paths(kit.seen)).not.toContain('POST /jobs')
  })
})

describe('the list is read in place of a job', () => {
  it.each<[string, Change, string[]]>([
    ['that is refused', { 'POST /jobs': () => ({ status: 400, body: { message: 'No.' } }) }, []],
    ['without an id', { 'POST /jobs': () => ({ body: { id: null } }) }, []],
    [
      'that fails',
      { 'GET /jobs/j1': () => ({ body: { state: 'Failed', why: 'Too big' } }) },
      ['The job ended as Failed. The provider says: Too big Mortise reads the list instead.'],
    ],
    [
      'without records',
      { 'GET /jobs/j1': () => ({ body: { state: 'Done', count: 0 } }) },
      ['The result of the job has another number of records than it should. Mortise reads the list instead.'],
    ],
    [
      'with another number of records',
      { 'GET /jobs/j1': () => ({ body: { state: 'Done', count: 6 } }) },
      ['The result of the job has another number of records than it should. Mortise reads the list instead.'],
    ],
  ])('%s', async (_, change, notices) => {
    await using kit = await start(csv, change)
    const found = await read(kit)
    expect(found.ids.slice(-3)).toEqual(['1', '2', '3'])
    expect(found.notices).toEqual(notices)
  })

  it('that never ends: it is aborted', async () => {
    await using kit = await start(csv, { 'GET /jobs/j1': () => ({ body: { state: 'Running' } }) })
    const connector = kit.connector()
    const first = await connector.readPage(request)
    kit.clock.now += 3_600_000
    const page = await connector.readPage({ ...request, page: first.nextPage ?? '' })
    expect(page.records.map(({ id }) => id)).toEqual(['1', '2'])
    expect(page.notice).toContain('has not ended in 1 hours')
    expect(paths(kit.seen)).toContain('DELETE /jobs/j1')
  })
})

it('a job that is only created is started, or given up for the list', async () => {
  const created = `${csv}
    start: { path: '/jobs/{{job.id}}/start' }`
  await using kit = await start(created, { 'POST /jobs/j1/start': () => ({ status: 202, body: {} }) })
  expect((await read(kit, { restarts: true })).ids).toEqual(all)
  expect(paths(kit.seen).filter((path) => path.startsWith('POST'))).toEqual(['POST /jobs', 'POST /jobs/j1/start'])

  await using refused = await start(created, { 'POST /jobs/j1/start': () => ({ status: 400, body: {} }) })
  expect((await read(refused)).ids).toEqual(['1', '2', '3'])
  expect(paths(refused.seen)).toContain('DELETE /jobs/j1')
})

it('without a list, a job without records is an empty account', async () => {
  const body = { state: 'Done', count: 0 }
  await using kit = await start(csv, { 'GET /jobs/j1': () => ({ body }) }, always)
  expect(await read(kit)).toMatchObject({ ids: [], notices: [] })
})

it('an expired result is requested once more, then the list is read', async () => {
  await using kit = await start(csv, { 'GET /jobs/j1/rows': () => ({ status: 404 }) })
  expect((await read(kit)).ids).toEqual(all)
  expect(paths(kit.seen).filter((path) => path === 'POST /jobs')).toHaveLength(2)

  await using gone = await start(csv, {
    'GET /jobs/j1': () => ({ status: 404 }),
    'GET /jobs/j2': () => ({ status: 410 }),
  })
  const found = await read(gone)
  expect(found.ids).toEqual(['1', '2', '3'])
  expect(found.notices).toHaveLength(2)
})

it.each(['binary', 'ISO-8859-1'])('CSV is UTF-8, whatever its content type says (%s)', async (charset) => {
  const headers = { 'content-type': `text/csv; charset=${charset}` }
  const body = ['id,name', '1,ü', '2,', '3,', '4,', '5,', ''].join('\n')
  await using kit = await start(csv, { 'GET /jobs/j1/rows': () => ({ headers, body }) })
  expect((await read(kit)).records[0]?.fields).toMatchObject({ name: 'ü' })
})

describe('a result that cannot be read is an error', () => {
  const html = '<!doctype html><title>Maintenance</title>'
  it.each<[string, string, string]>([
    ['HTML', html, 'no column "id"'],
    ['JSON', '{"error":"no"}', 'not valid CSV'],
    ['nothing', '', 'is empty'],
    ['half a line', 'id,name\n1,a\n2', 'not valid CSV'],
    ['an open quote', 'id,name\n1,a\n2,"b', 'not valid CSV'],
    ['too many columns', 'id,name\n1,a,b\n', 'not valid CSV'],
    ['a column twice', 'id,name,name\n1,a,b\n', 'a column twice'],
    ['a value of another type', 'id,isOpen\n1,perhaps\n2,\n3,\n4,\n5,\n', 'is no boolean'],
  ])('%s', async (_, body, message) => {
    await using kit = await start(csv, { 'GET /jobs/j1/rows': () => ({ body }) })
    await expect(read(kit)).rejects.toMatchObject({
      class: 'unexpected_response',
      message: expect.stringContaining(message),
    })
  })

  it.each<[string, Change, string]>([
    ['of the submission', { 'POST /jobs': () => ({ body: html }) }, 'unexpected_response'],
    ['of the poll', { 'GET /jobs/j1': () => ({ body: html }) }, 'unexpected_response'],
    ['that wants a pause', { 'GET /jobs/j1': () => ({ status: 429 }) }, 'rate_limited'],
    ['of a server in trouble', { 'GET /jobs/j1/rows': () => ({ status: 503 }) }, 'provider_5xx'],
    [
      'that names the part before',
      { 'GET /jobs/j1/rows': () => ({ headers: { 'x-next': '3' }, body: 'id\n1\n' }) },
      'unexpected_response',
    ],
  ])('answers %s', async (_, change, kind) => {
    await using kit = await start(csv, change)
    await expect(read(kit)).rejects.toMatchObject({ class: kind })
  })
})

describe('lines at a URL', () => {
  it('are read from one download, without the credential', async () => {
    await using kit = await start(lines)
    expect((await read(kit, { pageSize: 2 })).ids).toEqual(all)
    const downloads = kit.seen.filter(({ url }) => url.pathname === '/file')
    expect(downloads.map(({ headers }) => headers['x-api-key'])).toEqual([undefined])
  })

  it('are requested from the last record on after a crash, or skipped', async () => {
    const file = (seen: SeenRequest): Answer | undefined => {
      const from = Number(/^bytes=(\d+)-$/.exec(seen.headers['range'] ?? '')?.[1] ?? 0)
      const body = [1, 2, 3, 4, 5].map((id) => `{"id":${id}}\n`).join('')
      if (from >= body.length) return { status: 416 }
      return from === 0
        ? { body }
        : { status: 206, headers: { 'content-range': `bytes ${from}-49/50` }, body: body.slice(from) }
    }
    for (const change of [{ 'GET /file': file }, {}] as Change[]) {
      await using kit = await start(lines, change)
      expect((await read(kit, { restarts: true, pageSize: 1 })).ids).toEqual(all)
    }
  })

  it('are not requested from a host that the file does not allow', async () => {
    await using kit = await start(lines, {
      'GET /jobs/j1': () => ({ body: { state: 'Done', count: 5, url: 'https://evil.example.org/file' } }),
    })
    await expect(read(kit)).rejects.toMatchObject({ message: expect.stringContaining('does not allow') })
  })

  it('that are refused have expired: this says nothing about the credential', async () => {
    await using kit = await start(lines, { 'GET /file': (_, count) => (count === 1 ? { status: 403 } : undefined) })
    expect((await read(kit)).ids).toEqual(all)
    expect(paths(kit.seen).filter((path) => path === 'POST /jobs')).toHaveLength(2)
  })

  it('of a list are read one after the other, also after a crash behind each page', async () => {
    const files = `{ url: urls, gzip: { state: Done }, format: ndjson }`
    const file = (...ids: number[]) => ({ body: gzipSync(ids.map((id) => `{"id":${id}}\n`).join('')) })
    const change: Change = {
      'GET /jobs/j1': () => ({ body: { state: 'Done', count: 5, urls: ['/file-1', '/file-2', '/file-3'] } }),
      'GET /file-1': () => file(1, 2, 3),
      'GET /file-2': () => file(),
      'GET /file-3': () => file(4, 5),
    }
    for (const restarts of [false, true]) {
      await using kit = await start(files, change)
      expect(await read(kit, { restarts, pageSize: 2 })).toMatchObject({ ids: all, notices: [] })
    }
  })

  it('put children into their record', async () => {
    const children = `{ url: url, format: ndjson, children: { parent: __parentId, into: parts.nodes } }`
    const body = '{"id":1}\n{"size":1,"__parentId":"1"}\n{"size":2,"__parentId":"1"}\n{"id":2}\n'
    const done = { 'GET /jobs/j1': () => ({ body: { state: 'Done', count: 2, url: '/file' } }) }
    await using kit = await start(children, { ...done, 'GET /file': () => ({ body }) })
    const { records } = await read(kit, { restarts: true, pageSize: 1 })
    const parts = [1, 2].map((size) => ({ size, __parentId: '1' }))
    expect(records.map(({ raw }) => raw)).toEqual([
      { id: 1, parts: { nodes: parts } },
      { id: 2, parts: { nodes: [] } },
    ])
    await using lost = await start(children, {
      ...done,
      'GET /file': () => ({ body: '{"id":1}\n{"__parentId":"7"}\n' }),
    })
    await expect(read(lost)).rejects.toMatchObject({ message: expect.stringContaining('does not follow its record') })
  })
})

it('a job is aborted, also one that has ended', async () => {
  await using kit = await start(csv, {
    'DELETE /jobs/j2': () => ({ status: 400 }),
    'DELETE /jobs/j3': () => ({ status: 503 }),
  })
  const connector = kit.connector()
  await connector.abortJob('things', 'j1')
  await connector.abortJob('things', 'j2')
  await expect(connector.abortJob('things', 'j3')).rejects.toMatchObject({ class: 'provider_5xx' })
})
