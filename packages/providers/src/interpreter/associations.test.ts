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
  expect(() => thingsProvider(file)).toThrow(/names {{associations}}/)
})
