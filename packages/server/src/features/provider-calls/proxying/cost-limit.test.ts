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

beforeAll(async () => {
  kit = await startProxyingKit({ files: costly })
  kit.provider.answers(async (request, response) => {
    await kit.provider.note(request)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ data: [], cost: { left: 10, is: 50, reset: 30 } }))
  })
  await kit.deploy(`${proxyManifest}  - { name: costly, provider: costly, proxy: { enabled: true } }\n`)
  ;({ connectionId } = await kit.install('costly', 'acme', { apiKey: 'k' }))
})
afterAll(() => kit?.stop())

test('all connectors of a connection know what is left of a limit on cost', async () => {
  const { services } = kit.app.app
  const read = async () => {
    const { connector } = await openConnector({ projectId: kit.app.projectId }, services, connectionId)
    return connector.readPage({ object: 'things', fields: 'all' })
  }
  kit.provider.seen.length = 0
  await read()
  await expect(read()).rejects.toThrow('has not restored the units')
  expect(kit.provider.seen).toHaveLength(1)
  kit.app.clock.advance(30_000)
  await read()
  expect(kit.provider.seen).toHaveLength(2)
})
