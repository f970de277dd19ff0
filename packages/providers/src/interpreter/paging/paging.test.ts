import { describe, expect, it } from 'vitest'
import type { ConnectionContext, ReadPageRequest } from '../../connector.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'
import { createConnector } from '../create-connector.ts'
import { linkTarget } from './link-header.ts'

const all = Array.from({ length: 7 }, (_, index) => ({ id: index + 1, name: `n${index + 1}` }))

interface Whole {
  ids: (string | undefined)[]
  requests: SeenRequest[]
  origin: string
}

/** Reads page after page to the end, at most 20. */
async function readAll(
  read: string,
  answer: (request: SeenRequest, origin: string) => Answer,
  { rest = '', pageSize = 3, apiKey = 'key-1' }: { rest?: string; pageSize?: number; apiKey?: string } = {},
): Promise<Whole> {
  let origin = ''
  await using server = await startServer((request) => answer(request, origin))
  origin = server.origin
  const connection: ConnectionContext = { metadata: { baseUrl: origin }, credential: { scheme: 'apiKey', apiKey } }
  const connector = createConnector(thingsProvider(read, rest), connection, plainHttp(fetch))
  const ids: (string | undefined)[] = []
  let page: string | undefined
  for (let count = 0; count < 20; count++) {
    const request: ReadPageRequest = {
      object: 'things',
      fields: ['name'],
      pageSize,
      ...(page !== undefined && { page }),
    }
    const found = await connector.readPage(request)
    ids.push(...found.records.map(({ id }) => id))
    page = found.nextPage
    if (page === undefined) return { ids, requests: server.seen, origin }
  }
  throw new Error('the read does not end')
}

const everyId = ['1', '2', '3', '4', '5', '6', '7']
const numberOf = (request: SeenRequest, name: string) => Number(request.url.searchParams.get(name) ?? 0)

it('none: one answer is everything', async () => {
  const { ids, requests } = await readAll('read: { path: /things }', () => ({ body: all }))
  expect(ids).toEqual(everyId)
  expect(requests).toHaveLength(1)
})

it('cursor in a URL of another host: only its parameter is taken', async () => {
  const read = `read:
  path: /things
  query: { limit: '{{pageSize}}', token: '{{cursor}}' }
  records: data
  paging: { kind: cursor, next: next, parameter: token }`
  const { ids, requests } = await readAll(read, (request) => {
    const at = numberOf(request, 'token')
    const next = at + 3 < all.length ? `https://acme.example.com/things?limit=9&token=${at + 3}` : null
    return { body: { data: all.slice(at, at + 3), next } }
  })
  expect(ids).toEqual(everyId)
  expect(requests.map(({ url }) => url.search)).toEqual(['?limit=3', '?limit=3&token=3', '?limit=3&token=6'])
})

it('cursor of another endpoint: only requests with a cursor go there, with their own body', async () => {
  const read = `read:
  method: POST
  path: /things
  body: { limit: { $value: pageSize } }
  records: data
  paging: { kind: cursor, next: next, more: more, request: { path: /things/continue, body: { cursor: '{{cursor}}' } } }`
  const { ids, requests } = await readAll(read, ({ body }) => {
    const { cursor = '0' } = JSON.parse(body) as { cursor?: string }
    const at = Number(cursor)
    return { body: { data: all.slice(at, at + 3), next: `${at + 3}`, more: at + 3 < all.length } }
  })
  expect(ids).toEqual(everyId)
  expect(requests.map(({ url, body }) => [url.pathname, body])).toEqual([
    ['/api/things', '{"limit":3}'],
    ['/api/things/continue', '{"cursor":"3"}'],
    ['/api/things/continue', '{"cursor":"6"}'],
  ])
})

it('cursor in the body: sent back as it came, until it is null', async () => {
  const read = `read:
  path: /things
  query: { limit: '{{pageSize}}', cursor: '{{cursor}}' }
  records: data
  paging: { kind: cursor, next: meta.next }`
  const { ids, requests } = await readAll(read, (request) => {
    const at = Number((request.url.searchParams.get('cursor') ?? 'c/0&').slice(2, -1))
    return { body: { data: all.slice(at, at + 3), meta: { next: at + 3 < 7 ? `c/${at + 3}&` : null } } }
  })
  expect(ids).toEqual(everyId)
  expect(requests.map(({ url }) => url.searchParams.get('cursor'))).toEqual([null, 'c/3&', 'c/6&'])
  expect(requests[0]?.url.searchParams.get('limit')).toBe('3')
})

it('cursor in a header', async () => {
  const read = `read:
  path: /things
  query: { cursor: '{{cursor}}' }
  paging: { kind: cursor, nextHeader: X-Next-Cursor }`
  const { ids } = await readAll(read, (request) => {
    const at = numberOf(request, 'cursor')
    const next: Record<string, string> = at + 3 < 7 ? { 'x-next-cursor': String(at + 3) } : {}
    return { headers: next, body: all.slice(at, at + 3) }
  })
  expect(ids).toEqual(everyId)
})

it('cursor in the body of a POST search, that is started again behind the last key at its limit', async () => {
  const read = `read:
  method: POST
  path: /things/search
  body:
    filters:
      - { $when: afterKey, field: id, greater: '{{afterKey}}' }
    limit: { $value: pageSize }
    after: '{{cursor}}'
  records: data
  paging: { kind: cursor, next: next, restart: { records: 4, key: id } }`
  const { ids, requests } = await readAll(
    read,
    (request) => {
      const { filters, after = 0 } = JSON.parse(request.body) as { filters?: [{ greater: string }]; after?: string }
      const from = Number(filters?.[0].greater ?? 0) + Number(after)
      if (Number(after) >= 4) throw new Error('beyond the limit of the search')
      return { body: { data: all.slice(from, from + 2), next: from + 2 < 7 ? Number(after) + 2 : null } }
    },
    { pageSize: 2 },
  )
  expect(ids).toEqual(everyId)
  expect(requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { limit: 2 },
    { limit: 2, after: '2' },
    { limit: 2, filters: [{ field: 'id', greater: '4' }] },
    { limit: 2, filters: [{ field: 'id', greater: '4' }], after: '2' },
  ])
})

it('page number: ends at the number of pages that a header names', async () => {
  const read = `read:
  path: /things
  query: { page: '{{page}}', per_page: '{{pageSize}}' }
  paging: { kind: page, pagesHeader: X-Pages }`
  const { ids, requests } = await readAll(read, (request) => {
    const page = numberOf(request, 'page')
    return { headers: { 'x-pages': '3' }, body: all.slice((page - 1) * 3, page * 3) }
  })
  expect(ids).toEqual(everyId)
  expect(requests.map((request) => numberOf(request, 'page'))).toEqual([1, 2, 3])
})

it('page number without a number of pages: ends at a short page', async () => {
  const read = `read: { path: /things, query: { page: '{{page}}' }, paging: { kind: page, first: 0 } }`
  const { ids, requests } = await readAll(read, (request) => {
    const page = numberOf(request, 'page')
    return { body: all.slice(page * 3, page * 3 + 3) }
  })
  expect(ids).toEqual(everyId)
  expect(requests.map((request) => numberOf(request, 'page'))).toEqual([0, 1, 2])
})

it('page number: the provider’s flag outweighs a full page', async () => {
  const read = `read:
  path: /things
  query: { page: '{{page}}' }
  records: data
  paging: { kind: page, more: meta.hasMore }`
  const { ids } = await readAll(read, () => ({ body: { data: all.slice(0, 3), meta: { hasMore: false } } }))
  expect(ids).toEqual(['1', '2', '3'])
})

it('offset: counted from the records that came, or named by the answer', async () => {
  const counted = `read: { path: /things, query: { offset: '{{offset}}' }, paging: { kind: offset } }`
  const page = (request: SeenRequest) => all.slice(numberOf(request, 'offset'), numberOf(request, 'offset') + 3)
  expect((await readAll(counted, (request) => ({ body: page(request) }))).ids).toEqual(everyId)
  const named = `read:
  path: /things
  query: { offset: '{{offset}}' }
  records: data
  paging: { kind: offset, next: next, more: more }`
  const { ids } = await readAll(named, (request) => {
    const next = numberOf(request, 'offset') + 3
    return { body: { data: page(request), next, more: next < 7 } }
  })
  expect(ids).toEqual(everyId)
})

it('offset: a page that says how many it stands for goes on, though some of them are left out', async () => {
  const read = `read:
  path: /things
  query: { start: '{{offset}}' }
  records: data
  paging: { kind: offset, first: 1, count: count }`
  const { ids, requests } = await readAll(read, (request) => {
    const start = numberOf(request, 'start') - 1
    const page = all.slice(start, start + 3)
    // The second of each page may not be seen by this account.
    return { body: { data: page.filter((_, index) => index !== 1), count: page.length } }
  })
  expect(ids).toEqual(['1', '3', '4', '6', '7'])
  expect(requests.map((request) => numberOf(request, 'start'))).toEqual([1, 4, 7])
})

it('keyset: the next request names the last key', async () => {
  const read = `read: { path: /things, query: { after: '{{afterKey}}' }, paging: { kind: keyset } }`
  const { ids, requests } = await readAll(read, (request) => {
    const after = numberOf(request, 'after')
    return { body: all.slice(after, after + 3) }
  })
  expect(ids).toEqual(everyId)
  expect(requests.map(({ url }) => url.search)).toEqual(['', '?after=3', '?after=6'])
})

it.each([1, 3])('keyset with the last record itself: it comes once, in pages of %s', async (pageSize) => {
  const read = `read: { path: /things, query: { from: '{{afterKey}}', size: '{{pageSize}}' }, records: data, total: total, paging: { kind: keyset, bound: inclusive } }`
  const { ids } = await readAll(
    read,
    (request) => {
      const left = all.filter(({ id }) => id >= numberOf(request, 'from'))
      return { body: { data: left.slice(0, numberOf(request, 'size')), total: left.length } }
    },
    { pageSize },
  )
  expect(ids).toEqual(everyId)
})

it('keyset with the last record itself: nothing is missed when that is deleted meanwhile, or another before it', async () => {
  const read = `read: { path: /things, query: { from: '{{afterKey}}' }, paging: { kind: keyset, bound: inclusive } }`
  const left = [...all]
  const { ids } = await readAll(read, (request) => {
    const from = numberOf(request, 'from')
    if (from === 3) left.splice(1, 2)
    return { body: left.filter(({ id }) => id >= from).slice(0, 3) }
  })
  expect(ids).toEqual(everyId)
})

it('next URL, absolute and relative, with the key sent along on the same origin', async () => {
  const read = `read: { path: /things, records: data, paging: { kind: nextUrl, next: next } }`
  const { ids, requests } = await readAll(read, (request, origin) => {
    const at = numberOf(request, 'at')
    const next = at === 0 ? `${origin}/api/things?at=3` : at === 3 ? '/api/things?at=6' : null
    return { body: { data: all.slice(at, at + 3), next } }
  })
  expect(ids).toEqual(everyId)
  expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key-1', 'key-1', 'key-1'])
})

describe('a link in a list of links', () => {
  const nextUrl = `read:
  path: /things
  records: data
  paging: { kind: nextUrl, list: links, when: { rel: next }, next: href }`
  const cursor = `read:
  path: /things
  query: { at: '{{cursor}}' }
  records: data
  paging: { kind: cursor, list: links, when: { rel: next }, next: href, parameter: at }`

  it.each([
    ['nextUrl', nextUrl, (origin: string) => origin],
    ['cursor', cursor, () => 'https://other.example.com'],
  ])('%s: the one with the relation leads to the next page', async (_, read, hostOf) => {
    const { ids, requests } = await readAll(read, (request, origin) => {
      const at = numberOf(request, 'at')
      const link = (rel: string, to: number) => ({ rel, href: `${hostOf(origin)}/api/things?at=${to}` })
      const links = [link('self', at), link('first', 0), ...(at + 3 < 7 ? [link('next', at + 3)] : []), { rel: 'last' }]
      return { body: { data: all.slice(at, at + 3), links } }
    })
    expect(ids).toEqual(everyId)
    expect(requests).toHaveLength(3)
  })

  it.each([nextUrl, cursor])('no links end the list', async (read) => {
    for (const links of [undefined, null, [], [{ rel: 'self', href: '/api/things?at=0' }]])
      expect((await readAll(read, () => ({ body: { data: all, links } }))).ids).toEqual(everyId)
  })

  it.each([
    [nextUrl, { next: '/api/things?at=3' }],
    [nextUrl, [{ rel: 'next' }]],
    [nextUrl, [{ rel: 'next', href: null }]],
    [cursor, [{ rel: 'next', href: '/api/things?page=2' }]],
  ])('one that leads nowhere is an error, and not the end', async (read, links) => {
    await expect(readAll(read, () => ({ body: { data: all, links } }))).rejects.toMatchObject({
      class: 'unexpected_response',
    })
  })
})

it('Link header', async () => {
  const read = `read: { path: /things, paging: { kind: linkHeader } }`
  const { ids } = await readAll(read, (request, origin) => {
    const at = numberOf(request, 'at')
    const link = `<${origin}/api/things?at=0>; rel="first", <${origin}/api/things?at=${at + 3}>; rel="next last"`
    const headers: Record<string, string> = at + 3 < 7 ? { link } : {}
    return { headers, body: all.slice(at, at + 3) }
  })
  expect(ids).toEqual(everyId)
})

it.each([
  ['<https://a.example/?q=a,b>; rel=next', 'https://a.example/?q=a,b'],
  ['</p?x=1;y=2>; title="rel=next"; rel="next"', '/p?x=1;y=2'],
  ['<a>; rel="prev", <b>; REL="Next"', 'b'],
  ['<a>; rel="nextish"', undefined],
  ['', undefined],
])('the target of %s', (header, target) => {
  expect(linkTarget(header, 'next')).toBe(target)
})

it.each(['https://evil.example/things', '//evil.example/things', 'http://127.0.0.1:1/things', '\\\\evil.example'])(
  'a next URL on another origin is not followed: %s',
  async (next) => {
    const read = `read: { path: /things, records: data, paging: { kind: nextUrl, next: next } }`
    await expect(readAll(read, () => ({ body: { data: all, next } }))).rejects.toMatchObject({
      class: 'unexpected_response',
    })
  },
)

it.each([
  ['nextUrl', 'an object', { page: 2 }],
  ['nextUrl', 'a list', ['/things?page=2']],
  ['cursor', 'an object', { page: 2 }],
])('%s: a next page that is %s ends in an error, not with the first page', async (kind, _, next) => {
  const query = kind === 'cursor' ? ", query: { token: '{{cursor}}' }" : ''
  const read = `read: { path: /things${query}, records: data, paging: { kind: ${kind}, next: next } }`
  await expect(readAll(read, () => ({ body: { data: all, next } }))).rejects.toMatchObject({
    class: 'unexpected_response',
  })
  for (const end of [null, '', false, {}, []])
    expect((await readAll(read, () => ({ body: { data: all, next: end } }))).ids).toEqual(everyId)
})

it('a page that names itself as the next one ends in an error, not in a loop', async () => {
  const cursor = `read:
  path: /things
  query: { cursor: '{{cursor}}' }
  records: data
  paging: { kind: cursor, next: next }`
  const nextUrl = `read: { path: /things, records: data, paging: { kind: nextUrl, next: next } }`
  for (const read of [cursor, nextUrl]) {
    const answer = () => ({ body: { data: all, next: '/api/things?x' } })
    await expect(readAll(read, answer)).rejects.toMatchObject({ class: 'unexpected_response' })
  }
})

it('a key in a query parameter is sent with every page and is in no page token', async () => {
  let token = ''
  const entry = thingsProvider(`read: { path: /things, records: data, paging: { kind: nextUrl, next: next } }`)
  const byQuery = { ...entry, authentication: [{ scheme: 'apiKey', attach: 'query', name: 'key' } as const] }
  await using server = await startServer((request) => ({
    body: {
      data: all,
      next: request.url.searchParams.has('at') ? null : `${request.url.pathname}${request.url.search}&at=1`,
    },
  }))
  const connection = {
    metadata: { baseUrl: server.origin },
    credential: { scheme: 'apiKey', apiKey: 's&cret' },
  } as const
  const connector = createConnector(byQuery, connection, plainHttp(fetch))
  token = (await connector.readPage({ object: 'things', fields: 'all' })).nextPage ?? ''
  await connector.readPage({ object: 'things', fields: 'all', page: token })
  expect(server.seen.map(({ url }) => url.searchParams.getAll('key'))).toEqual([['s&cret'], ['s&cret']])
  expect(Buffer.from(token, 'base64url').toString()).not.toContain('cret')
})

it.each(['', 'not a token', Buffer.from('[1').toString('base64url'), Buffer.from('null').toString('base64url')])(
  'a page token that is not ours is a lost cursor: %j',
  async (page) => {
    const connection = { metadata: { baseUrl: 'http://127.0.0.1:1' }, credential: { scheme: 'none' } } as const
    const connector = createConnector(thingsProvider('read: { path: /things }'), connection, plainHttp(fetch))
    const read = connector.readPage({ object: 'things', fields: 'all', page })
    await expect(read).rejects.toMatchObject({ class: 'cursor_gone' })
  },
)
