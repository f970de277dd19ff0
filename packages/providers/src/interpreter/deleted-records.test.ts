import { describe, expect, it } from 'vitest'
import { createConnector, type ReadPageRequest } from '../index.ts'
import { plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { asked, readAll } from '../testing/open-provider.testkit.ts'
import { type entryOf, thingsProvider } from '../testing/provider.testkit.ts'
import { encodePage } from './page-token.ts'

/** Deleted records that a provider reports: among the others, or in a list. */

const since = new Date('2026-03-01T00:00:00Z')
const until = new Date('2026-03-02T00:00:00Z')

type Read = Pick<Partial<ReadPageRequest>, 'since' | 'deletions' | 'fields' | 'filters'>

/** Reads every page; returns `id` or `-id` for a deleted record, and what was requested. */
async function read(entry: ReturnType<typeof entryOf>, answer: (request: SeenRequest) => unknown, request: Read) {
  await using server = await startServer((seen) => ({ body: answer(seen) }))
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } as const }
  const connector = createConnector(entry, connection, plainHttp(fetch))
  const { fields = ['name'], ...rest } = request
  const records = await readAll(connector, { object: 'things', fields, until, ...rest })
  return {
    ids: records.map(({ id, deleted }) => `${deleted ? '-' : ''}${id}`),
    asked: asked(server.seen),
    records,
    reports: connector.reportsDeletions('things'),
  }
}

describe('a mark in listed records', () => {
  const entry = thingsProvider(`
read:
  path: /things
  records: items
incremental:
  read: { query: { since: '{{since}}' } }
deletions:
  when: { state: deleted }
  read: { path: /things/all, query: { deleted: 'true' } }`)
  const answer = () => ({
    items: [
      { id: 1, name: 'a' },
      { id: 2, state: 'deleted' },
    ],
  })

  it('makes a record a deletion, and the request asks for such records', async () => {
    const found = await read(entry, answer, { since, deletions: true })
    expect(found.ids).toEqual(['1', '-2'])
    expect(found.asked).toEqual(['GET /api/things/all?since=2026-03-01T00:00:00.000Z&deleted=true'])
    expect(found.reports).toBe(true)
  })

  it('is not looked for unless deletions are requested, and not in the full history', async () => {
    const without = await read(entry, answer, { since })
    expect(without.ids).toEqual(['1', '2'])
    expect(without.asked).toEqual(['GET /api/things?since=2026-03-01T00:00:00.000Z'])
    const full = await read(entry, answer, { deletions: true })
    expect(full.ids).toEqual(['1', '2'])
    expect(full.asked).toEqual(['GET /api/things'])
  })

  it('may be of records that other reads leave out', async () => {
    const leftOut = thingsProvider(`
read:
  path: /things
  records: items
  only: { state: { present: false } }
incremental:
  read: { query: { since: '{{since}}' } }
deletions:
  when: { state: deleted }
  read: { only: null }`)
    const withDeletions = await read(leftOut, answer, { since, deletions: true })
    expect(withDeletions.ids).toEqual(['1', '-2'])
    expect((await read(leftOut, answer, { since })).ids).toEqual(['1'])
    expect((await read(leftOut, answer, { deletions: true })).ids).toEqual(['1'])
  })
})

describe('a list of deleted records', () => {
  const entry = thingsProvider(`
read:
  path: /things
  query: { page: '{{page}}', size: '{{pageSize}}' }
  records: items
  pageSizeMax: 2
  total: total
  paging: { kind: page }
incremental:
  format: unix
  read: { query: { since: '{{since}}' } }
deletions:
  list:
    path: /trash
    id: ref
    only: { type: thing }
  timestamp: at`)
  const trash: Record<string, unknown[]> = {
    1: [
      { ref: 7, type: 'thing', at: '2026-03-01T10:00:00Z' },
      { ref: 8, type: 'other', at: '2026-03-01T10:00:00Z' },
    ],
    2: [{ ref: 9, type: 'thing', at: '2026-01-01T10:00:00Z' }],
  }
  const answer = ({ url }: SeenRequest) => {
    const page = url.searchParams.get('page') ?? ''
    if (url.pathname === '/api/trash') return { items: trash[page], total: 99 }
    return {
      items: [
        { id: page, name: 'x' },
        { id: `${page}0`, name: 'y' },
      ].slice(Number(page) - 1),
      total: 3,
    }
  }

  it('is read after the changed records, to its last page, within the window', async () => {
    const found = await read(entry, answer, { since, deletions: true })
    expect(found.ids).toEqual(['1', '10', '20', '-7'])
    expect(found.asked).toEqual([
      'GET /api/things?page=1&size=2&since=1772323200',
      'GET /api/things?page=2&size=2&since=1772323200',
      'GET /api/trash?page=1&size=2',
      'GET /api/trash?page=2&size=2',
    ])
    expect(found.records.at(-1)).toMatchObject({ id: '7', fields: {}, raw: { ref: 7, type: 'thing' }, deleted: true })
  })

  it('is not read unless deletions are requested, and not in the full history', async () => {
    expect((await read(entry, answer, { since })).ids).toEqual(['1', '10', '20'])
    expect((await read(entry, answer, { deletions: true })).ids).toEqual(['1', '10', '20'])
  })

  it('fails the read where it is not what the file says', async () => {
    const html = ({ url }: SeenRequest) => (url.pathname === '/api/trash' ? '<html>' : { items: [] })
    await expect(read(entry, html, { since, deletions: true })).rejects.toMatchObject({ class: 'unexpected_response' })
    const refused = ({ url }: SeenRequest) =>
      url.pathname === '/api/trash' ? { items: { error: 'no' } } : { items: [] }
    await expect(read(entry, refused, { since, deletions: true })).rejects.toMatchObject({
      class: 'unexpected_response',
    })
  })
})

describe('of a deleted record', () => {
  const marked = thingsProvider(`
read:
  path: /things
  records: items
  children: { notes: { path: '/things/{{record.id}}/notes' } }
  associations: { owners: { request: { path: /owners, query: { of: '{{records}}' }, of: of, max: 10 }, id: id } }
incremental: { filter: { timestamp: at } }
deletions: { when: { gone: true } }`)

  it('no children and no links are requested', async () => {
    const answer = ({ url }: SeenRequest) => {
      if (url.pathname === '/api/things') return { items: [{ id: 1 }, { id: 2, gone: true }] }
      return url.pathname === '/api/owners' ? [{ of: 1, id: 'o' }] : [{ text: 'n' }]
    }
    const request = { since, deletions: true, fields: ['notes', 'owners'] }
    const found = await read(marked, answer, request)
    expect(found.ids).toEqual(['1', '-2'])
    expect(found.asked.filter((line) => line.includes('/2/'))).toEqual([])
    expect(found.records.map(({ associations }) => associations)).toEqual([{ owners: [{ id: 'o' }] }, {}])
  })
})

describe('a list of deleted records that takes no filters', () => {
  const entry = thingsProvider(`
read: { path: /things, queryEach: [{ each: filters, name: '{{item.field}}', value: '{{item.value}}' }] }
incremental: { read: { query: { since: '{{since}}' } } }
deletions: { list: { path: /trash, query: { since: '{{since}}' }, queryEach: null } }`)

  it('is read whole where the read has filters', async () => {
    const answer = ({ url }: SeenRequest) => [{ id: url.pathname === '/api/trash' ? 2 : 1 }]
    const filters = [{ field: 'stage', operator: 'eq', value: 'won' }] as const
    const found = await read(entry, answer, { since, deletions: true, filters })
    expect(found.ids).toEqual(['1', '-2'])
    expect(found.asked).toEqual([
      'GET /api/things?since=2026-03-01T00:00:00.000Z&stage=won',
      'GET /api/trash?since=2026-03-01T00:00:00.000Z',
    ])
  })

  it('ends where deletions are turned off in the middle of it', async () => {
    await using server = await startServer(() => ({ body: [{ id: 1 }] }))
    const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
    const connector = createConnector(entry, connection, plainHttp(fetch))
    const page = encodePage({ deleted: true, cursor: 'x' })
    const rest = await connector.readPage({ object: 'things', fields: ['id'], since, page })
    expect([rest, server.seen]).toEqual([{ records: [], nextPage: undefined }, []])
  })
})

it('an object that reports nothing is read as ever', async () => {
  const entry = thingsProvider(`
read: { path: /things, only: { live: true } }
incremental: { filter: { timestamp: at } }`)
  const answer = () => [
    { id: 1, live: true },
    { id: 2, live: false },
  ]
  const found = await read(entry, answer, { since, deletions: true })
  expect([found.ids, found.reports]).toEqual([['1'], false])
})

it.each([
  ['nothing', '{}', 'needs one of "when" and "list"'],
  ['a request without a mark', '{ read: { query: { all: "1" } } }', 'needs one of "when" and "list"'],
  [
    'a request without a mark next to a list',
    '{ list: { path: "/t?since={{since}}" }, read: { path: /all } }',
    'needs "when"',
  ],
  ['a list of every deletion', '{ list: { path: /trash } }', 'needs {{since}} in its request, or "timestamp"'],
  ['a time without a list', '{ when: { a: 1 }, timestamp: at }', 'needs "list"'],
  ['a reach without a list', '{ when: { a: 1 }, reach: 30 }', 'needs "list"'],
  [
    'a list of parents with an unknown variable',
    '{ list: { path: "/trash/{{parent.id}}", each: { path: "/bins?from={{since}}&of={{sinse}}" } } }',
    'uses the variable "sinse"',
  ],
  ['an unknown key of the request', '{ when: { a: 1 }, read: { pth: /x } }', 'pth'],
])('%s is refused', (_, deletions, message) => {
  const file = () =>
    thingsProvider(`read: { path: /things }
incremental: { filter: { timestamp: at } }
deletions: ${deletions}`)
  expect(file).toThrow(message)
})

it('an object without a window is refused', () => {
  expect(() => thingsProvider('read: { path: /things }\ndeletions: { when: { a: 1 } }')).toThrow('needs "incremental"')
})
