import { expect, it } from 'vitest'
import type { Connector, ProviderRecord, ReadPageRequest } from '../connector.ts'
import { createConnector } from '../index.ts'
import { plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'

/** What reads and searches make of the shapes of providers, over real HTTP. */

type Answers = (request: SeenRequest) => { status?: number; body: unknown }

async function connected(
  object: string,
  answers: Answers,
  use: (connector: Connector, seen: SeenRequest[]) => unknown,
  rest = '',
) {
  const seen: SeenRequest[] = []
  await using server = await startServer((request) => {
    seen.push(request)
    return answers(request)
  })
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'key' } } as const
  await use(createConnector(thingsProvider(object, rest), connection, plainHttp(fetch)), seen)
}

async function readAll(connector: Connector, request: Partial<ReadPageRequest> = {}): Promise<ProviderRecord[][]> {
  const pages: ProviderRecord[][] = []
  let page: string | undefined
  do {
    const found = await connector.readPage({ object: 'things', fields: 'all', ...request, ...(page && { page }) })
    pages.push(found.records)
    page = found.nextPage
  } while (page !== undefined)
  return pages
}

const ids = (pages: ProviderRecord[][]) => pages.map((records) => records.map(({ id }) => id))

const perOwner = `
read:
  each:
    path: /owners
    query: { page: '{{page}}' }
    records: owners
    pageSizeMax: 2
    paging: { kind: page }
    mayRefuse: true
  path: /things
  query: { owner: '{{parent.id}}', cursor: '{{cursor}}' }
  records: things
  pageSizeMax: 3
  paging: { kind: cursor, next: next }
`

const owners = ['a', 'b', 'c', 'd', 'e']
const thingsOf: Record<string, string[][]> = { a: [['1', '2'], ['3']], b: [], c: [['4', '1']], e: [['5']] }

function ownersAndThings({ url }: SeenRequest): { status?: number; body: unknown } {
  const at = Number(url.searchParams.get('page')) - 1
  if (url.pathname === '/api/owners') {
    return { body: { owners: owners.slice(at * 2, at * 2 + 2).map((id) => ({ id })) } }
  }
  const owner = url.searchParams.get('owner') ?? ''
  if (owner === 'd') return { status: 404, body: {} }
  const place = Number(url.searchParams.get('cursor') ?? 0)
  const pages = thingsOf[owner] ?? []
  return {
    body: {
      things: (pages[place] ?? []).map((id) => ({ id, owner })),
      next: place + 1 < pages.length ? String(place + 1) : null,
    },
  }
}

it('one read per parent: every page of every parent, and a page of ours goes on where the one before ended', async () => {
  await connected(perOwner, ownersAndThings, async (connector) => {
    expect(ids(await readAll(connector))).toEqual([
      ['1', '2', '3'],
      ['4', '1', '5'],
    ])
  })
})

const perKind = `
read:
  each: { values: [{ kind: apples, at: fruit }, { kind: pears, at: old }], keep: { kind: kind } }
  path: /{{parent.at}}
  query: { kind: '{{parent.kind}}', cursor: '{{cursor}}' }
  records: things
  paging: { kind: cursor, next: next }
`

it('parents that the file lists: one list after the other, each to its last page, and from where it ended', async () => {
  const answer = ({ url }: SeenRequest) => {
    const kind = url.searchParams.get('kind')
    const isFirst = url.searchParams.get('cursor') === null
    if (url.pathname !== (kind === 'apples' ? '/api/fruit' : '/api/old')) return { status: 404, body: {} }
    return { body: { things: [{ id: `${kind}-${isFirst ? 1 : 2}` }], next: isFirst ? 'x' : null } }
  }
  await connected(perKind, answer, async (connector) => {
    const all = await readAll(connector)
    expect(ids(all).flat()).toEqual(['apples-1', 'apples-2', 'pears-1', 'pears-2'])
    expect(all.flat().map(({ fields }) => fields['kind'])).toEqual(['apples', 'apples', 'pears', 'pears'])
    const one = await connector.readPage({ object: 'things', fields: 'all', pageSize: 1 })
    const next = await connector.readPage({ object: 'things', fields: 'all', pageSize: 1, page: one.nextPage ?? '' })
    expect([one, next].map(({ records }) => records.map(({ id }) => id))).toEqual([['apples-1'], ['apples-2']])
  })
})

it('each listed parent is combined with each parent of the file', async () => {
  const both = perOwner
    .replace('    path: /owners', '    values: [{ type: x }, { type: y }]\n    path: /owners')
    .replace("{ owner: '{{parent.id}}',", "{ owner: '{{parent.id}}', type: '{{parent.type}}',")
  const answer = (request: SeenRequest) => {
    const { url } = request
    if (url.pathname === '/api/owners') return ownersAndThings(request)
    return {
      body: { things: [{ id: `${url.searchParams.get('owner')}-${url.searchParams.get('type')}` }], next: null },
    }
  }
  await connected(both, answer, async (first) => {
    const one = await first.readPage({ object: 'things', fields: 'all', pageSize: 1 })
    expect(one.records.map(({ id }) => id)).toEqual(['a-x'])
    // The place in the values is part of where a read stands.
    await connected(both, answer, async (second) => {
      const rest: string[] = []
      let page = one.nextPage
      while (page !== undefined) {
        const found = await second.readPage({ object: 'things', fields: 'all', page })
        rest.push(...found.records.map(({ id }) => id ?? ''))
        page = found.nextPage
      }
      expect(rest).toEqual(['a-y', 'b-x', 'b-y', 'c-x', 'c-y', 'd-x', 'd-y', 'e-x', 'e-y'])
    })
  })
})

it('a read of parents is taken up by another connector, in the middle of a parent', async () => {
  await connected(perOwner, ownersAndThings, async (first) => {
    const one = await first.readPage({ object: 'things', fields: 'all', pageSize: 1 })
    expect(one.records.map(({ id }) => id)).toEqual(['1', '2'])
    await connected(perOwner, ownersAndThings, async (second) => {
      const two = await second.readPage({ object: 'things', fields: 'all', pageSize: 1, page: one.nextPage ?? '' })
      expect(two.records.map(({ id }) => id)).toEqual(['3'])
    })
  })
})

const guestsOfEvents = `
read:
  each: { path: /events, records: events, id: uri }
  path: /events/{{parent.uri|basename}}/guests
  records: guests
  id: uri
`

/** Events and guests as an API has them that calls each thing by its URL. */
function eventsAndGuests(events: readonly string[]): Answers {
  const uri = (event: string) => `https://api.example.com/events/${event}`
  return ({ url: { pathname } }) => {
    if (pathname === '/api/events') return { body: { events: events.map((event) => ({ uri: uri(event) })) } }
    const event = pathname.split('/')[3] ?? ''
    return events.includes(event)
      ? { body: { guests: event === 'E0' ? [] : [{ uri: `${uri(event)}/guests/G1`, email: 'ada@example.com' }] } }
      : { status: 404, body: {} }
  }
}

it('parents that are told by their URL are named by its end, and found again when others came before them', async () => {
  const request = { object: 'things', fields: 'all', pageSize: 1 } as const
  await connected(guestsOfEvents, eventsAndGuests(['E1', 'E2']), async (first) => {
    const one = await first.readPage(request)
    expect(one.records.map(({ id }) => id)).toEqual(['https://api.example.com/events/E1/guests/G1'])
    await connected(guestsOfEvents, eventsAndGuests(['E0', 'E1', 'E2']), async (second) => {
      const two = await second.readPage({ ...request, page: one.nextPage ?? '' })
      expect(two.records.map(({ id }) => id)).toEqual(['https://api.example.com/events/E2/guests/G1'])
    })
  })
})

it('without any source, the first record of the first parent that has one shows the fields', async () => {
  await connected(guestsOfEvents, eventsAndGuests(['E0', 'E1', 'E2']), async (connector, seen) => {
    const { fields, incomplete } = await connector.describeObject('things')
    expect([Object.keys(fields), incomplete]).toEqual([['uri', 'email'], true])
    expect(seen.map(({ url }) => url.pathname)).toEqual([
      '/api/events',
      '/api/events/E0/guests',
      '/api/events/E1/guests',
    ])
  })
})

it('many parents are read one after the other, with one page of them held', async () => {
  const many = 500
  let atOnce = 0
  const answers: Answers = ({ url }) => {
    expect(++atOnce).toBe(1)
    const at = Number(url.searchParams.get('page')) - 1
    atOnce--
    if (url.pathname !== '/api/owners') return { body: { things: [{ id: url.searchParams.get('owner') }], next: null } }
    return { body: { owners: Array.from({ length: at * 2 < many ? 2 : 0 }, (_, more) => ({ id: at * 2 + more })) } }
  }
  await connected(perOwner, answers, async (connector, seen) => {
    const pages = await readAll(connector)
    expect(pages.flat()).toHaveLength(many)
    // One request for each parent, and one for each page of parents.
    expect(seen).toHaveLength(many + many / 2 + 1)
  })
})

const commentsOfOwners = `
read:
  each: { path: /owners, records: owners, keep: { owner: id, name: title } }
  path: /owners/{{parent.id}}/things
  records: things
  id: [owner, number]
  pageSizeMax: 2
  paging: { kind: nextUrl, next: next }
incremental: { filter: { timestamp: changed, order: descending } }
get: { path: '/owners/{{id.owner}}/things/{{id.number}}' }
`

it('a record has what it is told to have of its parent, and an id of several values is one text', async () => {
  const answers: Answers = ({ url }) => {
    if (url.pathname === '/api/owners')
      return {
        body: {
          owners: [
            { id: 'a/b', title: 'A' },
            { id: 'c', title: 'C' },
          ],
        },
      }
    if (url.pathname.endsWith('/7')) return { body: { number: 7, owner: 'a/b' } }
    return { body: { things: [{ number: 7, name: 'own' }] } }
  }
  await connected(commentsOfOwners, answers, async (connector, seen) => {
    const { records } = await connector.readPage({ object: 'things', fields: ['owner', 'name'] })
    expect(records).toEqual([
      { id: 'a%2Fb/7', fields: { owner: 'a/b', name: 'own' }, raw: { owner: 'a/b', number: 7, name: 'own' } },
      { id: 'c/7', fields: { owner: 'c', name: 'own' }, raw: { owner: 'c', number: 7, name: 'own' } },
    ])
    expect(await connector.fetchRecord('things', 'a%2Fb/7', ['number'])).toMatchObject({ id: 'a%2Fb/7' })
    expect(seen.at(-1)?.url.pathname).toBe('/api/owners/a%2Fb/things/7')
    for (const id of ['7', 'a/b/7', 'a/', ''])
      await expect(connector.fetchRecord('things', id, 'all')).rejects.toMatchObject({ class: 'bad_request' })
  })
})

it('an answer without content has no records', async () => {
  const answers: Answers = ({ url }) => {
    if (url.pathname === '/api/owners') return { body: { owners: [{ id: 'a' }] } }
    return { status: 204, body: '' }
  }
  await connected(commentsOfOwners, answers, async (connector) => {
    expect((await connector.readPage({ object: 'things', fields: 'all' })).records).toEqual([])
  })
})

it('newest first ends the list of each parent, not that of all', async () => {
  const answers: Answers = ({ url }) => {
    if (url.pathname === '/api/owners') return { body: { owners: [{ id: 'a' }, { id: 'b' }] } }
    const owner = url.pathname.split('/')[3]
    const things = [
      { number: 1, changed: '2026-01-02T00:00:00Z' },
      { number: 2, changed: '2025-01-01T00:00:00Z' },
    ]
    return { body: { things, next: `/api/owners/${owner}/things?page=2` } }
  }
  await connected(commentsOfOwners, answers, async (connector, seen) => {
    const pages = await readAll(connector, { since: new Date('2026-01-01T00:00:00Z') })
    expect(ids(pages).flat()).toEqual(['a/1', 'b/1'])
    expect(seen).toHaveLength(3)
  })
})

it('what was read of parents before an error is kept, and the error comes with the next page', async () => {
  let limited = false
  const answers: Answers = (seen) =>
    limited && seen.url.searchParams.get('cursor') === '1'
      ? { status: 429, headers: { 'retry-after': '7' }, body: {} }
      : ownersAndThings(seen)
  await connected(perOwner, answers, async (connector, seen) => {
    limited = true
    const request = { object: 'things', fields: 'all', pageSize: 100 } as const
    const one = await connector.readPage(request)
    expect(one.records.map(({ id }) => id)).toEqual(['1', '2'])
    const asked = seen.length
    const next = { ...request, page: one.nextPage ?? '' }
    await expect(connector.readPage(next)).rejects.toMatchObject({ class: 'rate_limited', retryAfterMs: 7_000 })
    expect(seen).toHaveLength(asked)
    await expect(connector.readPage(next)).rejects.toMatchObject({ class: 'rate_limited' })
    expect(seen).toHaveLength(asked + 1)
    limited = false
    const two = await connector.readPage(next)
    expect(two.records.map(({ id }) => id)).toEqual(['3', '4', '1'])
  })
})

const searched = `
read:
  path: /things
  records: data.{{object}}.edges
  unwrap: node
  paging: { kind: cursor, next: 'data.{{object}}.pageInfo.endCursor', more: 'data.{{object}}.pageInfo.hasNextPage' }
  method: POST
  body: { query: '{{where}}', after: '{{cursor}}', first: { $value: pageSize } }
  expressions:
    where: { parts: ['updated_at:>={{since}}', { each: filters, text: '{{item.field|name}}:{{item.value|json}}' }], join: ' AND ' }
  fieldsAlways: [id]
incremental: { format: rfc3339Seconds }
search: { path: /search }
`

it('GraphQL pages, records in `node`, and a search with its filters', async () => {
  const answers: Answers = ({ body }) => {
    const { after } = JSON.parse(body) as { after?: string }
    const pageInfo = { hasNextPage: after === undefined, endCursor: 'c1' }
    return { body: { data: { things: { edges: [{ node: { id: after ?? 'first' } }], pageInfo } } } }
  }
  await connected(searched, answers, async (connector, seen) => {
    expect(ids(await readAll(connector, { since: new Date('2026-01-01T00:00:00Z') }))).toEqual([['first'], ['c1']])
    expect(connector.canSearch('things')).toBe(true)
    expect(connector.canFilter('things')).toBe(true)
    const filters = [{ field: 'name', operator: 'eq', value: 'a" OR x:"b' }] as const
    const found = await connector.search({ object: 'things', fields: ['id'], filters, pageSize: 5 })
    expect(found.records.map(({ id }) => id)).toEqual(['first'])
    expect(seen.map(({ url, body }) => [url.pathname, JSON.parse(body)])).toEqual([
      ['/api/things', { query: 'updated_at:>=2026-01-01T00:00:00Z', first: 100 }],
      ['/api/things', { query: 'updated_at:>=2026-01-01T00:00:00Z', first: 100, after: 'c1' }],
      ['/api/search', { query: 'name:"a\\" OR x:\\"b"', first: 5 }],
    ])
  })
})

it('a search by fields that the provider has words for refuses any other', async () => {
  const byWord = `
read: { path: /things, each: { path: /owners } }
search:
  each: null
  query: { all: true }
  queryEach: [{ each: filters, name: '{{item.parameter}}', value: '{{item.value}}' }]
searchBy: { state: status, "$['owner']['name']": owner_name }
`
  await connected(
    byWord,
    () => ({ body: [{ id: 1 }] }),
    async (connector, seen) => {
      const search = (field: string) =>
        connector.search({ object: 'things', fields: ['id'], filters: [{ field, operator: 'eq', value: 'x' }] })
      expect((await search('State')).records).toHaveLength(1)
      await search("$['owner']['name']")
      await expect(search('owner')).rejects.toMatchObject({
        class: 'bad_request',
        at: [0],
        searchable: ['state', "$['owner']['name']"],
      })
      expect(seen.map(({ url }) => url.search)).toEqual(['?all=true&status=x', '?all=true&owner_name=x'])
    },
  )
})

it('a search by the types of fields takes the names that the provider writes, and asks for the fields once', async () => {
  const byType = `
read: { path: /things }
search: { method: POST, body: { $each: filters, $item: { '{{item.field}}': { '{{item.type}}-{{item.parameter}}': { $value: item.value } } } } }
searchByType: { number: equals }
fields: [{ source: live, path: /fields, name: name, providerType: type }]
`
  const fields = [
    { name: 'Price', type: 'number' },
    { name: 'Total', type: 'formula' },
    { name: 'Plain', type: null },
  ]
  await connected(
    byType,
    ({ url }) => ({ body: url.pathname === '/api/fields' ? fields : [{ id: 1 }] }),
    async (connector, seen) => {
      const search = (field: string) =>
        connector.search({ object: 'things', fields: ['id'], filters: [{ field, operator: 'eq', value: 2 }] })
      await search('price')
      for (const field of ['Total', 'Plain', 'Weight'])
        await expect(search(field)).rejects.toMatchObject({ class: 'bad_request', at: [0], searchable: ['Price'] })
      expect(seen.map(({ url, body }) => [url.pathname, body])).toEqual([
        ['/api/fields', ''],
        ['/api/things', '[{"Price":{"number-equals":2}}]'],
      ])
    },
  )
})

const finding = `
read:
  path: /things
  id: [owner, id]
  lift:
    owner: { path: url, capture: '/of/(?<result>[^/]+)/' }
    label: { list: names, when: { kind: main }, path: parts, each: text, join: ' ' }
search: { path: /search, queryEach: [{ each: filters, name: '{{item.field}}', value: '{{item.value}}' }] }
`

it('a search that finds what is similar answers what is equal, by fields that are parts of others', async () => {
  const things = [
    {
      id: 1,
      url: '/of/a%2Fb/1',
      names: { x: { kind: 'old' }, y: { kind: 'main', parts: [{ text: 'A' }, { text: 'B' }] } },
    },
    { id: 2, url: '/of/c/2', names: [{ kind: 'main', parts: [{ text: 'A' }, { text: 'B' }, { text: 'C' }] }] },
    { id: 3, url: 'elsewhere', names: null },
  ]
  await connected(
    `${finding}searchFinds: similar`,
    () => ({ body: things }),
    async (connector) => {
      const [page] = await readAll(connector, { fields: ['owner', 'label'] })
      expect(page?.map(({ id, fields }) => [id, fields])).toEqual([
        ['a%252Fb/1', { owner: 'a%2Fb', label: 'A B' }],
        ['c/2', { owner: 'c', label: 'A B C' }],
        [undefined, {}],
      ])
      const filters = [{ field: 'Label', operator: 'eq', value: 'A B' }] as const
      const { records } = await connector.search({ object: 'things', fields: ['id'], filters })
      expect(records).toEqual([{ id: 'a%252Fb/1', fields: { id: 1 }, raw: things[0] }])
    },
  )
})

it('a search that finds ids reads each record by its id; one that is gone is left out', async () => {
  await connected(
    `${finding}searchFinds: ids\nget: { path: '/{{id.owner}}/{{id.id}}' }`,
    ({ url }) => {
      if (url.pathname === '/api/search') return { body: [1, 2].map((id) => ({ id, url: '/of/c/' })) }
      return url.pathname === '/api/c/1' ? { body: { id: 1, whole: true } } : { status: 404, body: {} }
    },
    async (connector) => {
      const filters = [{ field: 'id', operator: 'eq', value: 1 }] as const
      const { records } = await connector.search({ object: 'things', fields: ['whole'], filters })
      expect(records).toEqual([{ id: 'c/1', fields: { whole: true }, raw: { id: 1, whole: true } }])
    },
  )
})

it.each([
  ['searchByType: { text: is }', 'needs "search"'],
  ['searchFinds: similar', 'needs "search"'],
  [
    `search: { query: { q: '{{q}}' }, expressions: { q: { parts: [{ each: filters, text: x }] } } }\nsearchFinds: ids`,
    'needs "get" or "readByIds"',
  ],
])('a file that declares no way to do it is refused: %s', (declared, why) => {
  expect(() => thingsProvider(`read: { path: /things }\n${declared}`)).toThrow(why)
})

it.each([
  ["{ path: a, capture: '(?<other>.)' }", 'capture'],
  ['{ path: a, when: { b: c } }', 'needs "list"'],
  ['{ path: a, join: x }', 'needs "each"'],
])('a further field that nothing can be read by is refused: %s', (from, why) => {
  expect(() => thingsProvider(`read: { path: /things, lift: { x: ${from} } }`)).toThrow(why)
})

it('an object that cannot search or filter says so, and asks nothing', async () => {
  await connected(
    'read: { path: /things }',
    () => ({ body: [] }),
    async (connector, seen) => {
      const filters = [{ field: 'name', operator: 'eq', value: 'x' }] as const
      expect([connector.canSearch('things'), connector.canFilter('things')]).toEqual([false, false])
      const refused = { class: 'unsupported_object' }
      await expect(connector.search({ object: 'things', fields: 'all', filters })).rejects.toMatchObject(refused)
      await expect(connector.readPage({ object: 'things', fields: 'all', filters })).rejects.toMatchObject(refused)
      expect(seen).toEqual([])
    },
  )
})

it('items of an object are fields under its keys, with the first value that is there or what is wanted of a list', async () => {
  const properties = `
read:
  path: /things
  records: things
  customFields:
    list: properties
    keyed: true
    value: [{ path: title, each: text, join: '' }, { path: tags, each: name }, number, select.name, select]
`
  const answers: Answers = () => ({
    body: {
      things: [
        {
          id: 1,
          properties: {
            Name: { title: [{ text: 'A' }, { text: 'B' }] },
            Tags: { tags: [{ name: 'x' }, { name: 'y' }] },
            Count: { number: 0 },
            State: { select: { name: 'open' } },
            None: { select: null },
            Other: { other: 1 },
          },
        },
      ],
    },
  })
  await connected(properties, answers, async (connector) => {
    const wanted = ['name', 'Tags', 'count', 'state', 'none', 'other']
    const { records } = await connector.readPage({ object: 'things', fields: wanted })
    expect(records[0]?.fields).toEqual({ name: 'AB', tags: ['x', 'y'], count: 0, state: 'open', none: null })
  })
})

const lifted = `
read:
  path: /things
  records: things
  customFields:
    list: custom
    key: id
    value: value
    definitions: { path: /definitions, records: definitions, key: id, name: title }
fields: [{ source: static, fields: { id: int } }]
`

it('items of a list are fields under the names of their definitions, which are asked for once and only where needed', async () => {
  const answers: Answers = ({ url }) =>
    url.pathname === '/api/definitions'
      ? {
          body: {
            definitions: [
              { id: 7, title: 'Topic' },
              { id: 8, title: '__proto__' },
            ],
          },
        }
      : {
          body: {
            things: [
              {
                id: 1,
                custom: [
                  { id: 7, value: 'x' },
                  { id: 8, value: {} },
                  { id: 9, value: 'y' },
                ],
              },
            ],
          },
        }
  await connected(lifted, answers, async (connector, seen) => {
    const [plain] = await readAll(connector, { fields: ['id'] })
    expect(plain?.[0]?.fields).toEqual({ id: 1 })
    expect(seen).toHaveLength(1)
    for (const fields of [['id', 'topic'], 'all'] as const) {
      const [page] = await readAll(connector, { fields })
      expect(page?.[0]?.fields).toMatchObject({ id: 1, topic: 'x' })
      expect(page?.[0]?.raw).toHaveProperty('custom')
    }
    expect(seen.filter(({ url }) => url.pathname === '/api/definitions')).toHaveLength(1)
  })
})

it('a list of custom fields names them by a template, and what stands inside another value is a field of its own', async () => {
  const object = `
read:
  path: /things
  query: { fields: '{{fields}}' }
  lift: { owner_id: owner.id, ownerName: owner.name }
  customFields: { list: custom, key: 'cf_{{id}}', value: value }
get: { path: '/things/{{id}}' }
fields: [{ source: static, fields: { id: int, owner: other } }]
`
  const thing = { id: 1, owner: { id: 7, name: 'Ann' }, custom: [{ id: 3, value: ['x'] }, { value: 'nameless' }] }
  await connected(
    object,
    ({ url }) => ({ body: url.pathname === '/api/things' ? [thing, { id: 2, owner: null }] : thing }),
    async (connector, seen) => {
      const [page] = await readAll(connector, { fields: ['owner_ID', 'ownername', 'cf_3'] })
      const fields = { owner_id: 7, ownername: 'Ann', cf_3: ['x'] }
      expect(page?.map((record) => record.fields)).toEqual([fields, {}])
      expect(seen[0]?.url.searchParams.get('fields')).toBe('owner,cf_3')
      const one = await connector.fetchRecord('things', '1', 'all')
      expect(one?.fields).toEqual({ id: 1, owner: thing.owner, custom: thing.custom, ...fields })
    },
  )
})

it('where strangers are answered, too, a page counts only while the credential holds', async () => {
  let holds = true
  await connected(
    "read: { path: /things }\nsearch: { queryEach: [{ each: filters, name: '{{item.field}}', value: '{{item.value}}' }] }",
    ({ url }) => (url.pathname === '/api/me' && !holds ? { status: 401, body: '' } : { body: [{ id: 1 }] }),
    async (connector, seen) => {
      const search = { object: 'things', fields: 'all', filters: [{ field: 'id', operator: 'eq', value: 1 }] } as const
      expect(ids(await readAll(connector))).toEqual([['1']])
      expect((await connector.search(search)).records).toHaveLength(1)
      expect(seen.map(({ url }) => url.pathname)).toEqual(['/api/things', '/api/me', '/api/things', '/api/me'])
      holds = false
      await expect(readAll(connector)).rejects.toMatchObject({ class: 'auth_invalidated' })
      await expect(connector.search(search)).rejects.toMatchObject({ class: 'auth_invalidated' })
    },
    'healthCheck: { path: /me, confirmsReads: true }',
  )
})

it('filters that the provider would pass over in silence are refused before it is asked', async () => {
  const object = `
read:
  path: /things
  queryEach: [{ each: filters, name: '{{item.field}}', value: '{{item.value}}' }]
  filterable: [status_id]
search: {}
`
  await connected(
    object,
    () => ({ body: [{ id: 1 }] }),
    async (connector, seen) => {
      const by = (field: string) => [{ field, operator: 'eq', value: 5 }] as const
      await connector.search({ object: 'things', fields: 'all', filters: by('Status_ID') })
      expect(seen.map(({ url }) => url.search)).toEqual(['?Status_ID=5'])
      for (const asked of [
        connector.search({ object: 'things', fields: 'all', filters: by('colour') }),
        connector.readPage({ object: 'things', fields: 'all', filters: by('colour') }),
      ])
        await expect(asked).rejects.toMatchObject({
          class: 'bad_request',
          message: expect.stringContaining('"colour"'),
        })
      expect(seen).toHaveLength(1)
    },
  )
})

it('an error that says that there are no records is an empty page; any other stays one', async () => {
  const object = `
read:
  path: /things
  records: things
  none: { status: 404, when: { errors: No things found } }
`
  let errors = ['No things found']
  await connected(
    object,
    () => ({ status: 404, body: { errors } }),
    async (connector) => {
      expect(await readAll(connector)).toEqual([[]])
      errors = ['No such place']
      await expect(readAll(connector)).rejects.toMatchObject({ class: 'not_found', providerMessage: 'No such place' })
    },
  )
})

it('a record under several parents is the copy that is preferred, in the place of the first', async () => {
  const object = `
read:
  each: { path: /owners, prefer: { seen: own } }
  path: /things
  query: { owner: '{{parent.id}}' }
`
  const things: Record<string, object[]> = {
    a: [
      { id: 1, seen: 'shared' },
      { id: 2, seen: 'own' },
    ],
    b: [
      { id: 1, seen: 'own' },
      { id: 2, seen: 'shared' },
    ],
    c: [{ id: 1, seen: 'shared' }],
  }
  await connected(
    object,
    ({ url }) => ({
      body:
        url.pathname === '/api/owners'
          ? Object.keys(things).map((id) => ({ id }))
          : things[url.searchParams.get('owner') ?? ''],
    }),
    async (connector) => {
      const [records = []] = await readAll(connector)
      expect(records.map(({ raw }) => raw)).toEqual([
        { id: 1, seen: 'own' },
        { id: 2, seen: 'own' },
      ])
    },
  )
})

it('the path of an id may be made of the name of the object', async () => {
  await connected(
    "read: { path: /things, id: '{{object|singular}}id' }",
    () => ({ body: [{ thingid: 'a' }, { thingid: 'b' }] }),
    async (connector) => expect(ids(await readAll(connector))).toEqual([['a', 'b']]),
  )
})
