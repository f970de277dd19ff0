import { expect, it } from 'vitest'
import { createConnector } from '../../index.ts'
import { plainHttp, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'

it('a body reads what its request composes of values, in JSON and in forms', async () => {
  const entry = thingsProvider(`read: { path: /things }
write:
  create:
    path: /things
    expressions: { stage: { parts: ['{{record.stage}}'], otherwise: new }, label: { parts: ['{{record.first}}', '{{record.last}}'], join: ' ' } }
    body: { $spread: record, stage: '{{stage}}', label: '{{label}}' }
  update:
    path: '/things/{{id}}'
    encoding: form
    expressions: { label: { parts: ['{{record.first}}', '{{record.last}}'], join: ' ' } }
    body: { label: '{{label}}' }`)
  await using server = await startServer(() => ({ status: 204 }))
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  const connector = createConnector(entry, connection, plainHttp(fetch))
  await connector.write({ object: 'things', type: 'create', record: { first: 'Ada', last: 'L' } })
  await connector.write({ object: 'things', type: 'update', id: '7', record: { last: 'L' } })
  expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({ stage: 'new', label: 'Ada L' })
  expect(server.seen[1]?.body).toBe('label=L')
})
