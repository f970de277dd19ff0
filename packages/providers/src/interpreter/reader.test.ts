import { expect, it } from 'vitest'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { type Answers, connected, ids, readAll } from '../testing/things-reader.testkit.ts'

/** What reads and searches make of the shapes of providers, over real HTTP. */

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

it('a search that takes one condition sends it, and refuses a second', async () => {
  const one = `
read: { path: /things }
search: { query: { field: '{{filters.0.parameter}}', term: '{{filters.0.value}}' } }
searchBy: { name: title }
searchMax: 1
`
  await connected(
    one,
    () => ({ body: [{ id: 1 }] }),
    async (connector, seen) => {
      const search = (...values: string[]) =>
        connector.search({
          object: 'things',
          fields: ['id'],
          filters: values.map((value) => ({ field: 'name', operator: 'eq', value })),
        })
      expect((await search('a&b')).records).toHaveLength(1)
      await expect(search('a', 'b')).rejects.toMatchObject({ class: 'bad_request' })
      expect(seen.map(({ url }) => url.search)).toEqual(['?field=title&term=a%26b'])
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
  ['searchMax: 1', 'needs "search"'],
  ["search: { query: { q: '{{pageSize}}' } }", 'does not use {{filters}}'],
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

it('the path of an id may be made of the name of the object', async () => {
  await connected(
    "read: { path: /things, id: '{{object|singular}}id' }",
    () => ({ body: [{ thingid: 'a' }, { thingid: 'b' }] }),
    async (connector) => expect(ids(await readAll(connector))).toEqual([['a', 'b']]),
  )
})
