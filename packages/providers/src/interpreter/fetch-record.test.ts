import { expect, it } from 'vitest'
import { createConnector } from '../index.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'

/** One record by its id, against a real server. */

async function connect(object: string, answer: Answer) {
  const server = await startServer(() => answer)
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } as const }
  return { server, connector: createConnector(thingsProvider(object), connection, plainHttp(fetch)) }
}

const object = `read: { path: /things, id: key, flatten: [values] }
get: { path: '/things/{{id}}', query: { fields: '{{fields}}' }, record: thing }`

it('comes with the fields that were asked for, extracted as reading lifts them', async () => {
  const thing = { key: 7, values: { Name: 'A', other: 1 } }
  const { server, connector } = await connect(object, { body: { thing } })
  await using _ = server
  expect(connector.canFetch('things')).toBe(true)
  const record = await connector.fetchRecord('things', 'a/7', ['name', "$['values']['other']"])
  expect(record).toEqual({ id: '7', fields: { name: 'A', "$['values']['other']": 1 }, raw: thing })
  expect(server.seen[0]?.url.href).toBe('http://server/api/things/a%2F7?fields=name%2Cother')
})

it('stands where the answer names it, under a name of the object', async () => {
  const named = `set: { one: thing }
read: { path: /things }
get: { path: '/things/{{id}}', record: 'data.{{one}}' }`
  const { server, connector } = await connect(named, { body: { data: { thing: { id: 7 } } } })
  await using _ = server
  expect(await connector.fetchRecord('things', '7', 'all')).toMatchObject({ id: '7', fields: { id: 7 } })
})

it.each<[string, Answer]>([
  ['404', { status: 404 }],
  ['410', { status: 410 }],
  ['null', { body: { thing: null } }],
])('that is not there is none: %s', async (_name, answer) => {
  const { server, connector } = await connect(object, answer)
  await using _ = server
  expect(await connector.fetchRecord('things', '7', ['name'])).toBeUndefined()
})

it('that the provider answers without content is none only where the file says so', async () => {
  const silent = object.replace('record: thing', 'record: thing, none: { status: 204 }')
  const { server, connector } = await connect(silent, { status: 204 })
  await using _ = server
  expect(await connector.fetchRecord('things', '7', ['name'])).toBeUndefined()
  const other = await connect(object, { status: 204 })
  await using __ = other.server
  await expect(other.connector.fetchRecord('things', '7', ['name'])).rejects.toMatchObject({
    class: 'unexpected_response',
  })
  const refused = await connect(
    object.replace('record: thing', "record: thing, none: { status: 400, when: { code: 'GONE' } }"),
    { status: 400, body: { code: 'OTHER' } },
  )
  await using ___ = refused.server
  await expect(refused.connector.fetchRecord('things', '7', ['name'])).rejects.toMatchObject({ class: 'bad_request' })
})

it('an answer of another shape, a refusal and an object without such a request are errors', async () => {
  const { server, connector } = await connect(object, { body: { thing: [1] } })
  await using _ = server
  await expect(connector.fetchRecord('things', '7', ['name'])).rejects.toMatchObject({ class: 'unexpected_response' })
  await expect(connector.fetchRecord('things', '..', ['name'])).rejects.toMatchObject({ class: 'bad_request' })
  const other = await connect('read: { path: /things }', { status: 403 })
  await using __ = other.server
  expect(other.connector.canFetch('things')).toBe(false)
  await expect(other.connector.fetchRecord('things', '7', 'all')).rejects.toMatchObject({ class: 'unsupported_object' })
  expect(server.seen).toHaveLength(1)
})

const several = `set: { one: thing }
read: { path: /things, customFields: { list: custom, key: key, value: value, definitions: { path: /names, key: id, name: name } } }
fields: [{ source: static, fields: { id: int } }]
get: { path: '/things/{{id}}', record: '{{one}}' }
readByIds: { path: /things, query: { ids: '{{ids}}' }, records: things, max: 2 }`

async function connectSeveral(declared: string, answer: (request: SeenRequest) => Answer) {
  const server = await startServer(answer)
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } as const }
  return { server, connector: createConnector(thingsProvider(declared), connection, plainHttp(fetch)) }
}

const names = [{ id: 1, name: 'Color' }]
const thing = (id: number) => ({ id, custom: [{ key: 1, value: `c${id}` }] })

it('several come by as few requests as the provider can, without those that are gone', async () => {
  const { server, connector } = await connectSeveral(several, ({ url }) => {
    if (url.pathname === '/api/names') return { body: names }
    const ids = (url.searchParams.get('ids') ?? '').split(',').map(Number)
    return { body: { things: ids.map((id) => (id === 2 ? null : thing(id))) } }
  })
  await using _ = server
  expect(connector.fetchSizeMax('things')).toBe(2)
  const found = await connector.fetchRecords('things', ['1', '2', '3', '4', '1'], ['id', 'color'])
  expect([...found]).toEqual([
    ['1', { id: '1', fields: { id: 1, color: 'c1' }, raw: thing(1) }],
    ['3', { id: '3', fields: { id: 3, color: 'c3' }, raw: thing(3) }],
    ['4', { id: '4', fields: { id: 4, color: 'c4' }, raw: thing(4) }],
  ])
  const asked = server.seen.map(({ url }) => url.pathname + decodeURIComponent(url.search))
  expect(asked).toEqual(['/api/things?ids=1,2', '/api/names', '/api/things?ids=3,4'])
})

it('one record has its custom fields extracted as in lists, and its place named by the object', async () => {
  const { server, connector } = await connectSeveral(several, ({ url }) =>
    url.pathname === '/api/names' ? { body: names } : { body: { thing: thing(7) } },
  )
  await using _ = server
  expect(await connector.fetchRecord('things', '7', ['color'])).toEqual({
    id: '7',
    fields: { color: 'c7' },
    raw: thing(7),
  })
  expect([...(await connector.fetchRecords('things', ['7'], ['id'])).keys()]).toEqual(['7'])
  expect(server.seen.map(({ url }) => url.pathname)).toEqual(['/api/things/7', '/api/names', '/api/things/7'])
})

it('an id that the provider refuses does not cost the others; a refusal of another kind is thrown', async () => {
  const { server, connector } = await connectSeveral(several, ({ url }) => {
    if (url.searchParams.get('ids')?.includes('x')) return { status: 400 }
    if (url.searchParams.has('ids')) return { status: 403 }
    return url.pathname.endsWith('x') ? { status: 404 } : { body: { thing: thing(3) } }
  })
  await using _ = server
  expect([...(await connector.fetchRecords('things', ['x', '3'], ['id'])).keys()]).toEqual(['3'])
  await expect(connector.fetchRecords('things', ['3', '4'], ['id'])).rejects.toMatchObject({ class: 'forbidden' })
})

it('ids that no request names, and ids of several values, are faults of the file', () => {
  expect(() => thingsProvider(several.replace("query: { ids: '{{ids}}' }, ", ''))).toThrow('must use {{ids}}')
  expect(() => thingsProvider(several.replace('path: /things, custom', 'path: /things, id: [a, b], custom'))).toThrow(
    'does not support composite ids',
  )
})
