import { expect, it } from 'vitest'
import type { ProviderHttp } from '../connector.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { connected, readAll } from '../testing/things-reader.testkit.ts'
import { createConnector } from './create-connector.ts'

const object = `read: { path: /things, records: ids, getEach: true, children: { parts: { path: '/things/{{record.id}}/parts' } } }
get: { path: '/things/{{id}}', query: { fields: '{{fields}}' }, record: thing }
fields: [{ source: sample }]`

const answers = (request: { url: URL }) => {
  const { pathname } = request.url
  if (pathname === '/api/things')
    return { body: { ids: ['1', '2', '3', '4', '5', '6'].map((id) => ({ id, listed: true })) } }
  if (pathname.endsWith('/parts')) return { body: [{ of: pathname }] }
  const id = pathname.slice(-1)
  return id === '3' ? { status: 404, body: {} } : { body: { thing: { id, name: `n${id}` } } }
}

it('each listed record is requested with the wanted fields, and has its own and the listed ones', async () => {
  await connected(object, answers, async (connector, seen) => {
    const [records = []] = await readAll(connector, { fields: ['name', 'listed', 'parts'] })
    expect(records.map(({ id }) => id)).toEqual(['1', '2', '4', '5', '6'])
    expect(records[2]?.fields).toEqual({ name: 'n4', listed: true, parts: [{ of: '/api/things/4/parts' }] })
    expect(seen.find(({ url }) => url.pathname === '/api/things/4')?.url.search).toBe('?fields=name%2Clisted')
  })
})

it('only a read that requests a field of its own requests each record, where the file names such fields', async () => {
  const listing = object.replace('getEach: true', 'getEach: [name]')
  await connected(listing, answers, async (connector, seen) => {
    const single = () => seen.filter(({ url }) => /^\/api\/things\/\d$/.test(url.pathname)).length
    await readAll(connector, { fields: ['listed'] })
    expect(single()).toBe(0)
    const [records = []] = await readAll(connector, { fields: ["$['name']['first']", 'listed'] })
    expect([records.length, single()]).toEqual([5, 6])
    expect(Object.keys((await connector.describeObject('things')).fields).toSorted()).toEqual(['id', 'listed', 'name'])
  })
  const changed = 'incremental: { read: { path: /changes, getEach: [name] } }'
  expect(() => thingsProvider(`${listing}\n${changed}`)).toThrow('cannot be a list of fields')
})

it('few records are requested concurrently', async () => {
  await using server = await startServer(answers)
  let open = 0
  let most = 0
  const http: ProviderHttp = async (request) => {
    most = Math.max(most, ++open)
    const answer = await plainHttp(fetch)(request)
    open--
    return answer
  }
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  await createConnector(thingsProvider(object), connection, http).readPage({ object: 'things', fields: ['name'] })
  expect(most).toBe(4)
})

it('a sample has the fields of the requested record', async () => {
  await connected(object, answers, async (connector) => {
    expect(Object.keys((await connector.describeObject('things')).fields).toSorted()).toEqual(['id', 'listed', 'name'])
  })
})

it('an error of one record is an error of the page', async () => {
  const failing = (request: { url: URL }) =>
    request.url.pathname === '/api/things/5' ? { status: 500, body: {} } : answers(request)
  await connected(object, failing, async (connector) => {
    await expect(readAll(connector, { fields: ['name'] })).rejects.toMatchObject({ class: 'provider_5xx' })
  })
})

it('a file is refused that has no request for one record', () => {
  expect(() => thingsProvider('read: { path: /things, getEach: true }')).toThrow('needs "get"')
})
