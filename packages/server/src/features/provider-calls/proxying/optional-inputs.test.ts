import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openConnector } from '../calls/index.ts'
import { type ProblemBody, type ProxyingKit, proxyManifest, startProxyingKit } from './proxying.testkit.ts'

/** A provider whose objects need a value that the rest of its API does not need. */
const files = () => ({
  stored: `
name: stored
baseUrl: '{{url}}'
inputs:
  - { name: url, kind: url }
  - { name: database, displayName: Database, use: objects }
  - { name: engine, displayName: Engine, use: optional }
authentication: [{ scheme: apiKey, attach: header, name: X-Secret-Token }]
objects:
  rows:
    read: { method: POST, path: /rows, body: { of: '{{database}}', engine: '{{engine}}' }, records: data }
    write: { body: { in: '{{database}}', values: { $value: record } }, create: { path: /rows } }
`,
})

let kit: ProxyingKit
let installationId: string
let connectionId: string

beforeAll(async () => {
  kit = await startProxyingKit({ files })
  kit.provider.answers((request, response) => {
    void kit.provider.note(request).then(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":1}],"id":1}')
    })
  })
  await kit.deploy(`${proxyManifest}  - { name: stored, provider: stored, proxy: { enabled: true } }\n`)
  ;({ id: installationId, connectionId } = await kit.install('stored', 'acme'))
})
afterAll(() => kit?.stop())
beforeEach(() => {
  kit.provider.seen.length = 0
})

const opened = async () =>
  (await openConnector({ projectId: kit.app.projectId }, kit.app.app.services, connectionId)).connector
const lacking =
  'The connection has no value for: Database (providerMetadata.database). Objects of stored need it. Add it to the connection.'

test('an account that is connected without the values that only objects need works with the proxy', async () => {
  const answered = await kit.call(installationId, '/anything?a=1')
  expect([answered.status, kit.provider.seen.map(({ url }) => url)]).toEqual([200, ['/anything?a=1']])
})

test('reads and writes of it are refused before anything is sent, and say which value to add', async () => {
  const connector = await opened()
  const refusal = { class: 'bad_request', message: lacking }
  await expect(connector.readPage({ object: 'rows', fields: 'all' })).rejects.toMatchObject(refusal)
  await expect(connector.write({ object: 'rows', type: 'create', record: { a: 1 } })).rejects.toMatchObject(refusal)
  expect(kit.provider.seen).toEqual([])
})

test('a value that every connection needs is still required, and forms are told which one is not', async () => {
  const body = { provider: 'stored', groupRef: 'b', consumerRef: 'b', apiKey: 'k', providerMetadata: { database: 'D' } }
  const refused = await kit.app.call<ProblemBody>('POST', `${kit.base}/connections:generate`, body)
  expect([refused.status, refused.body.issues?.map(({ name }) => name)]).toEqual([400, ['providerMetadata.url']])
  const { body: info } = await kit.app.call<{ metadata: { input: object[] } }>('GET', '/providers/stored')
  expect(info.metadata.input).toEqual([
    { name: 'url' },
    { name: 'database', displayName: 'Database', optional: true },
    { name: 'engine', displayName: 'Engine', optional: true },
  ])
})

test('the connection can be changed without them, and reads work once it has the one that they need', async () => {
  const change = async (providerMetadata: object) =>
    (
      await kit.app.call('PATCH', `${kit.base}/connections/${connectionId}`, {
        updateMask: ['providerMetadata'],
        connection: { providerMetadata },
      })
    ).status
  expect(await change({ url: kit.provider.url })).toBe(200)
  expect(await change({ url: kit.provider.url, database: 'SALES' })).toBe(200)
  const { records } = await (await opened()).readPage({ object: 'rows', fields: 'all' })
  expect(records.map(({ id }) => id)).toEqual(['1'])
  expect(kit.provider.seen.map(({ body }) => body.toString())).toEqual(['{"of":"SALES"}'])
})
