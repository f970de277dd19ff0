import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConnector } from '../calls/index.ts'
import { type ProxyingKit, proxyManifest, startProxyingKit } from './proxying.testkit.ts'

/** A provider whose responses say what a request costs, and what is left. */
const costly = (url: string) => ({
  costly: `
name: costly
baseUrl: '{{url}}/api'
inputs: [{ name: url, displayName: Address, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
errors:
  costLimit: { remaining: cost.left, cost: cost.is, reset: cost.reset }
  rules: [{ when: { throttled: true }, is: rate_limited }]
objects:
  things: { read: { base: '${url}', path: /things, records: data } }
`,
})

let kit: ProxyingKit
let connectionId: string
let installationId: string
/** What the provider answers through the proxy. */
let proxied: { headers?: Record<string, string>; chunks: (string | Buffer)[] }

beforeAll(async () => {
  kit = await startProxyingKit({ files: costly })
  kit.provider.answers(async (request, response) => {
    await kit.provider.note(request)
    const isProxied = request.url?.startsWith('/api') === true
    response.writeHead(200, { 'content-type': 'application/json', ...(isProxied && proxied.headers) })
    if (!isProxied) return response.end(JSON.stringify({ data: [], cost: { left: 10, is: 50, reset: 30 } }))
    for (const chunk of proxied.chunks) response.write(chunk)
    response.end()
  })
  await kit.deploy(`${proxyManifest}  - { name: costly, provider: costly, proxy: { enabled: true } }\n`)
  ;({ connectionId, id: installationId } = await kit.install('costly', 'acme', { apiKey: 'k' }))
})
afterAll(() => kit?.stop())

const read = async () => {
  const { connector } = await openConnector({ projectId: kit.app.projectId }, kit.app.app.services, connectionId)
  return connector.readPage({ object: 'things', fields: 'all' })
}

test('all connectors of a connection know what is left of a limit on cost', async () => {
  kit.provider.seen.length = 0
  await read()
  await expect(read()).rejects.toThrow('has not restored the units')
  expect(kit.provider.seen).toHaveLength(1)
  kit.app.clock.advance(30_000)
  await read()
  expect(kit.provider.seen).toHaveLength(2)
})

const report = '"cost":{"left":5,"is":90,"reset":40}}'
const filler = `"data":[${'"some text",'.repeat(4_000)}"end"]`

test.each([
  ['a small response', { chunks: [`{"data":[],${report}`] }],
  ['a small response that arrives in parts', { chunks: ['{"data":[],"co', report.slice(3)] }],
  ['a large response that ends with it', { chunks: [`{${filler},`, report] }],
])('a read waits for units that a request through the proxy has used: %s', async (_, response) => {
  kit.app.clock.advance(60_000)
  await read()
  kit.app.clock.advance(30_000)
  proxied = response
  const { body } = await kit.call(installationId, '/anything')
  expect(body.toString()).toBe(response.chunks.join(''))
  await expect(read()).rejects.toThrow('has not restored the units')
  kit.app.clock.advance(40_000)
  await read()
})

test.each([
  ['a compressed response', { headers: { 'content-encoding': 'gzip' }, chunks: [gzipSync(`{"data":[],${report}`)] }],
  ['a response of another type', { headers: { 'content-type': 'text/html' }, chunks: [`{"data":[],${report}`] }],
  ['half a response', { chunks: [`{"data":[],${report.slice(0, -3)}`] }],
  ['a report inside the data of a large response', { chunks: [`{${filler},"inner":{`, report, '}'] }],
  ['a text that looks like a report', { chunks: [`{${filler},"text":"{${report.replaceAll('"', '\\"')}"}`] }],
  ['a report of the wrong type', { chunks: ['{"cost":{"left":"none","is":[],"reset":{}}}'] }],
  ['an empty body', { chunks: [] }],
])('what is no report of the response delays no read: %s', async (_, response) => {
  kit.app.clock.advance(60_000)
  await read()
  kit.app.clock.advance(30_000)
  proxied = response
  const { body } = await kit.call(installationId, '/anything')
  expect(body).toEqual(Buffer.concat(response.chunks.map((chunk) => Buffer.from(chunk))))
  await read()
})
