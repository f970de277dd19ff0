import { expect, it } from 'vitest'
import { createConnector } from '../index.ts'
import { type Answer, plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'

/** One record by its id, against a real server. */

async function connect(object: string, answer: Answer) {
  const server = await startServer(() => answer)
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } as const }
  return { server, connector: createConnector(thingsProvider(object), connection, plainHttp(fetch)) }
}

const object = `read: { path: /things, id: key, flatten: [values] }
get: { path: '/things/{{id}}', query: { fields: '{{fields}}' }, record: thing }`

it('comes with the fields that were asked for, lifted as reading lifts them', async () => {
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
