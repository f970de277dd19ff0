import { expect, it } from 'vitest'
import { createConnector } from '../index.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'

const entry = thingsProvider(`read:
  path: /things
  query: { select: '{{fields}}', include: '{{associations}}' }
  associations:
    owners: { ask: OwnerId, id: OwnerId }
    people: { ask: (people), list: people.items, id: person.id }
fields: [{ source: static, fields: { name: string } }]`)

const things = [
  { id: 1, name: 'a', OwnerId: 7, people: { items: [{ person: { id: 'p1' } }, { person: { id: 'p2' } }, {}] } },
  { id: 2, name: 'b', OwnerId: null, people: { items: null } },
  { id: 3 },
]

async function read(fields: 'all' | string[]) {
  await using server = await startServer(() => ({ body: things }))
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  const { records } = await createConnector(entry, connection, plainHttp(fetch)).readPage({ object: 'things', fields })
  return { asked: server.seen.map(({ url }) => decodeURIComponent(url.search)), records }
}

it('records that come along with a record are asked for by the name of their field, and told by their ids', async () => {
  const { asked, records } = await read(['name', 'Owners', 'people'])
  expect(asked).toEqual(['?select=name&include=OwnerId,(people)'])
  expect(records.map(({ fields, associations }) => ({ fields, associations }))).toEqual([
    {
      fields: { name: 'a', owners: [{ id: '7' }], people: [{ id: 'p1' }, { id: 'p2' }] },
      associations: { owners: [{ id: '7' }], people: [{ id: 'p1' }, { id: 'p2' }] },
    },
    { fields: { name: 'b', owners: [], people: [] }, associations: { owners: [], people: [] } },
    // Nothing is said of those that are not in the answer.
    { fields: {}, associations: {} },
  ])
})

it.each([
  ['other fields', ['name']],
  ['everything', 'all' as const],
])('they are not asked for with %s', async (_, fields) => {
  const { asked, records } = await read(fields)
  expect(asked).toEqual(['?select=name'])
  expect(records[0]).not.toHaveProperty('associations')
})

it('they are among the fields that can be asked for', async () => {
  const connection = {
    metadata: { baseUrl: 'http://localhost' },
    credential: { scheme: 'apiKey', apiKey: 'k' },
  } as const
  const { fields } = await createConnector(entry, connection, plainHttp(fetch)).describeObject('things')
  expect(fields['people']).toEqual({ fieldName: 'people', displayName: 'people', valueType: 'other', readOnly: true })
})

it('a file whose request does not ask for them is refused', () => {
  const file = 'read: { path: /things, associations: { owners: { ask: OwnerId, id: OwnerId } } }'
  expect(() => thingsProvider(file)).toThrow(/needs a request that uses {{associations}}/)
})

const linked = `read:
  path: /things
  query: { limit: '{{pageSize}}' }
  pageSizeMax: 3
  paging: { kind: none }
  associations:
    owners: &links
      request:
        method: POST
        path: /links/{{object}}/{{association}}
        body: { of: { $each: records, $item: { id: '{{item.id}}', after: '{{item.after}}' } } }
        records: results
        of: from.id
        next: more
        max: 2
      list: to
      id: id
    people: *links
search: { path: /found, query: { where: '{{filters}}' } }
readByIds: { path: /some, query: { ids: '{{ids}}' }, max: 10 }
fields: [{ source: static, fields: { name: string } }]`

interface Told {
  from: { id: number }
  to: { id: string }[]
  more?: string
}

async function linkedProvider(tell: (association: string, of: { id: string; after?: string }[]) => Told[]) {
  const server = await startServer(({ url, body }) => {
    const [place, , association = ''] = url.pathname.replace('/api/', '').split('/')
    if (place !== 'links') return { body: [{ id: 1 }, { id: 2 }, { id: 3 }, { name: 'without an id' }] }
    const { of } = JSON.parse(body) as { of: { id: string; after?: string }[] }
    return { status: 207, body: { results: tell(association, of) } }
  })
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  const connector = createConnector(thingsProvider(linked), connection, plainHttp(fetch))
  const asked = () =>
    server.seen.map(({ method, url, body }) => [`${method} ${url.pathname.replace('/api', '')}`, body])
  return { connector, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

it.each(['read', 'search', 'readByIds'] as const)(
  'links that the provider tells by themselves are asked for together, after a %s',
  async (by) => {
    await using provider = await linkedProvider((association, of) =>
      of
        .filter(({ id }) => id !== '2')
        .map(({ id }) => ({ from: { id: Number(id) }, to: [{ id: `${association}${id}` }] })),
    )
    const { connector } = provider
    const fields = ['name', 'Owners']
    const filters = [{ field: 'name', operator: 'eq', value: 'a' }] as const
    const records =
      by === 'readByIds'
        ? [...(await connector.fetchRecords('things', ['1', '2', '3'], fields)).values()]
        : (
            await (by === 'read'
              ? connector.readPage({ object: 'things', fields })
              : connector.search({ object: 'things', fields, filters }))
          ).records
    const links = [[{ id: 'owners1' }], [], [{ id: 'owners3' }]]
    expect(records.slice(0, 3).map(({ associations }) => associations)).toEqual(links.map((owners) => ({ owners })))
    expect(records.slice(0, 3).map(({ fields: read }) => read['owners'])).toEqual(links)
    expect(records[3]?.associations ?? {}).toEqual({})
    // Two requests for three records, because one takes two.
    expect(provider.asked().slice(1)).toEqual([
      ['POST /links/things/owners', '{"of":[{"id":"1"},{"id":"2"}]}'],
      ['POST /links/things/owners', '{"of":[{"id":"3"}]}'],
    ])
  },
)

it('each of several associations has its request, and none is asked for unless its field is', async () => {
  await using provider = await linkedProvider(() => [])
  await provider.connector.readPage({ object: 'things', fields: 'all' })
  expect(provider.asked()).toHaveLength(1)
  const { records } = await provider.connector.readPage({ object: 'things', fields: ['people', 'owners'] })
  expect(records[0]?.associations).toEqual({ owners: [], people: [] })
  expect(
    new Set(
      provider
        .asked()
        .slice(2)
        .map(([what]) => what),
    ),
  ).toEqual(new Set(['POST /links/things/owners', 'POST /links/things/people']))
})

it('links that one answer leaves out are asked for again, and a provider that goes round in circles is left', async () => {
  await using provider = await linkedProvider((_, of) =>
    of.map(({ id, after = '' }) => ({
      from: { id: Number(id) },
      to: [{ id: `${id}${after}` }],
      ...(id === '1' && after.length < 2 && { more: `${after}x` }),
    })),
  )
  const { records } = await provider.connector.readPage({ object: 'things', fields: ['owners'] })
  expect(records[0]?.associations).toEqual({ owners: [{ id: '1' }, { id: '1x' }, { id: '1xx' }] })
  expect(records[1]?.associations).toEqual({ owners: [{ id: '2' }] })

  await using circle = await linkedProvider((_, of) =>
    of.map(({ id }) => ({ from: { id: Number(id) }, to: [], more: 'x' })),
  )
  await expect(circle.connector.readPage({ object: 'things', fields: ['owners'] })).rejects.toMatchObject({
    class: 'unexpected_response',
  })
})

it.each([
  ['owners: { id: OwnerId }', /needs one of "ask" and "request"/],
  ['owners: { id: id, request: { path: /links, of: id, max: 5 } }', /must use the list "records"/],
  [
    'owners: { id: id, request: { path: "/links/{{records}}/{{since}}", of: id, max: 5 } }',
    /"since", which is not declared/,
  ],
])('a file that says %s is refused', (association, message) => {
  expect(() => thingsProvider(`read: { path: /things, associations: { ${association} } }`)).toThrow(message)
})
