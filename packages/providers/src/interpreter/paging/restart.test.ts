import { expect, it } from 'vitest'
import { plainHttp, type SeenRequest, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'
import { connected, ids, readAll } from '../../testing/things-reader.testkit.ts'
import { createConnector } from '../create-connector.ts'

/** Seven records; four of them were changed in the same second. */
const all = [1, 2, 2, 2, 2, 3, 4].map((at, index) => ({ id: index + 1, at }))
const everyId = ['1', '2', '3', '4', '5', '6', '7']
/** What one query returns, whatever the page. */
const limit = 6
const numberOf = ({ url }: SeenRequest, name: string) => Number(url.searchParams.get(name) ?? 0)
const cut = (from: number, skip: number) => all.filter(({ at }) => at >= from).slice(skip, Math.min(skip + 2, limit))

const restart = 'restart: { records: 2, key: at, bound: inclusive }, recordsMax: 6'
const kinds = {
  page: {
    read: `query: { from: '{{afterKey}}', page: '{{page}}' }, paging: { kind: page, first: 0, ${restart} }`,
    answer: (request: SeenRequest) => ({ data: cut(numberOf(request, 'from'), numberOf(request, 'page') * 2) }),
  },
  offset: {
    read: `query: { from: '{{afterKey}}', skip: '{{offset}}' }, paging: { kind: offset, ${restart} }`,
    answer: (request: SeenRequest) => ({ data: cut(numberOf(request, 'from'), numberOf(request, 'skip')) }),
  },
  cursor: {
    read: `query: { from: '{{afterKey}}', skip: '{{cursor}}' }, paging: { kind: cursor, next: next, ${restart} }`,
    answer: (request: SeenRequest) => {
      const skip = numberOf(request, 'skip')
      return { data: cut(numberOf(request, 'from'), skip), next: skip + 2 < limit ? skip + 2 : null }
    },
  },
  nextUrl: {
    read: `query: { from: '{{afterKey}}' }, paging: { kind: nextUrl, next: next, ${restart} }`,
    answer: (request: SeenRequest) => {
      const [from, skip] = [numberOf(request, 'from'), numberOf(request, 'skip')]
      const next = skip + 2 < limit ? `/api/things?from=${from}&skip=${skip + 2}` : null
      return { data: cut(from, skip), next }
    },
  },
}

it.each(Object.keys(kinds) as (keyof typeof kinds)[])(
  '%s: a search that ends early is continued behind its last key; records that share the key come once',
  async (kind) => {
    const { read, answer } = kinds[kind]
    const object = `read: { path: /things, records: data, pageSizeMax: 2, ${read} }`
    await connected(
      object,
      (request) => ({ body: answer(request) }),
      async (connector) => {
        expect(ids(await readAll(connector)).flat()).toEqual(everyId)
      },
    )
  },
)

it('a Link header: the new query is the declared one, not the linked one', async () => {
  const object = `read:
  path: /things
  query: { from: '{{afterKey}}' }
  pageSizeMax: 2
  paging: { kind: linkHeader, restart: { records: 1, key: at, bound: inclusive }, recordsMax: 100 }`
  await using server = await startServer((request) => {
    const [from, skip] = [numberOf(request, 'from'), numberOf(request, 'skip')]
    const left = all.filter(({ at }) => at >= from).slice(skip)
    const link = { link: `</api/things?from=${from}&skip=${skip + 2}>; rel="next"` }
    return { body: left.slice(0, 2), ...(left.length > 2 && { headers: link }) }
  })
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  const connector = createConnector(thingsProvider(object), connection, plainHttp(fetch))
  expect(ids(await readAll(connector)).flat()).toEqual(everyId)
  expect(server.seen.map(({ url }) => url.search)).toEqual(['', '?from=2', '?from=2&skip=2', '?from=2&skip=4'])
})

it('more records of one key than the provider returns for a query end the read with an error', async () => {
  const object = `read:
  path: /things
  query: { from: '{{afterKey}}', page: '{{page}}' }
  pageSizeMax: 2
  paging: { kind: page, first: 0, restart: { records: 2, key: at, bound: inclusive }, recordsMax: 2 }`
  await connected(
    object,
    (request) => ({ body: cut(numberOf(request, 'from'), 0) }),
    async (connector) => {
      await expect(readAll(connector)).rejects.toMatchObject({ class: 'list_truncated' })
    },
  )
})

it('a key that is not a time ends the read with an error, if the query begins before it', async () => {
  const object = `read:
  path: /things
  query: { after: '{{afterKey}}', page: '{{page}}' }
  pageSizeMax: 2
  paging: { kind: page, first: 0, restart: { records: 2, key: name, bound: justBefore } }`
  const named = [
    { id: 1, name: 'a' },
    { id: 2, name: 'b?' },
  ]
  await connected(
    object,
    () => ({ body: named }),
    async (connector) => {
      await expect(readAll(connector)).rejects.toMatchObject({ class: 'unexpected_response' })
    },
  )
})

it('keyset: records that share the last key of a page are neither lost nor read twice', async () => {
  const object = `read:
  path: /things
  query: { from: '{{afterKey}}', size: '{{pageSize}}' }
  pageSizeMax: 5
  paging: { kind: keyset, key: at, bound: inclusive }`
  const answer = (request: SeenRequest) => ({
    body: all.filter(({ at }) => at >= numberOf(request, 'from')).slice(0, numberOf(request, 'size')),
  })
  await connected(object, answer, async (connector) => {
    expect(ids(await readAll(connector)).flat()).toEqual(everyId)
    // Four records of one key on pages of three.
    await expect(readAll(connector, { pageSize: 3 })).rejects.toMatchObject({ class: 'list_truncated' })
  })
})

it.each([
  ['none', '{ kind: none, recordsMax: 4 }'],
  ['offset', '{ kind: offset, recordsMax: 4 }'],
])(
  '%s: a list that reaches the limit of the provider delivers its records, then ends with an error',
  async (_, paging) => {
    const object = `read: { path: /things, pageSizeMax: 4, query: { skip: '{{offset}}' }, paging: ${paging} }`
    await connected(
      paging.includes('none') ? object.replace("query: { skip: '{{offset}}' }, ", '') : object,
      (request) => ({ body: all.slice(0, 4).slice(numberOf(request, 'skip')) }),
      async (connector, seen) => {
        const first = await connector.readPage({ object: 'things', fields: 'all' })
        expect(ids([first.records])).toEqual([['1', '2', '3', '4']])
        const rest = connector.readPage({ object: 'things', fields: 'all', page: first.nextPage ?? '' })
        await expect(rest).rejects.toMatchObject({ class: 'list_truncated' })
        expect(seen).toHaveLength(1)
      },
    )
  },
)

it('a list below the limit of the provider is complete', async () => {
  const object = `read: { path: /things, paging: { kind: none, recordsMax: 8 } }`
  await connected(
    object,
    () => ({ body: all }),
    async (connector) => {
      expect(ids(await readAll(connector))).toEqual([everyId])
    },
  )
})

it('a file is refused that starts a new query only after the limit, or without the last key', () => {
  const file = (paging: string, query = '') =>
    thingsProvider(`read: { path: /things, query: { page: '{{page}}'${query} }, paging: { kind: page, ${paging} } }`)
  expect(() => file('restart: { records: 9, key: id }, recordsMax: 5', ", from: '{{afterKey}}'")).toThrow(
    'is more than "recordsMax"',
  )
  expect(() => file('restart: { records: 5, key: id }')).toThrow('no request uses {{afterKey}}')
})
