import { afterAll, beforeAll, expect, test } from 'vitest'
import { openConnector } from '../calls/index.ts'
import { type ProxyingKit, proxyManifest, startProxyingKit } from './proxying.testkit.ts'

const legacy = (url: string) => ({
  legacy: `
name: legacy
baseUrl: '{{url}}/api'
inputs: [{ name: url, displayName: Address, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
objects:
  things: { read: { base: '${url}', path: /things, format: xml, records: things.thing, id: '@id' } }
  rows: { read: { base: '${url}', path: /rows, format: csv } }
`,
})

let kit: ProxyingKit
let connectionId: string
const answers: Record<string, [type: string, body: string]> = {
  '/things': [
    'text/xml',
    '<?xml version="1.0" encoding="ISO-8859-1"?><things><thing id="1"><name>Müller</name></thing></things>',
  ],
  '/rows': ['text/csv; charset=ISO-8859-1', 'id,name\n1,Müller\n'],
}

beforeAll(async () => {
  kit = await startProxyingKit({ files: legacy })
  kit.provider.answers(async (request, response) => {
    await kit.provider.note(request)
    const [type, body] = answers[request.url ?? ''] ?? ['text/plain', '']
    response.writeHead(200, { 'content-type': type }).end(Buffer.from(body, 'latin1'))
  })
  await kit.deploy(`${proxyManifest}  - { name: legacy, provider: legacy, proxy: { enabled: true } }\n`)
  ;({ connectionId } = await kit.install('legacy', 'acme', { apiKey: 'k' }))
})
afterAll(() => kit?.stop())

test.each(['things', 'rows'])('%s in another encoding than UTF-8 have their letters', async (object) => {
  const { connector } = await openConnector({ projectId: kit.app.projectId }, kit.app.app.services, connectionId)
  const { records } = await connector.readPage({ object, fields: ['name'] })
  expect(records).toMatchObject([{ id: '1', fields: { name: 'Müller' } }])
})
