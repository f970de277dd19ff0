import { expect, it } from 'vitest'
import { createConnector } from '../index.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { entryOf } from '../testing/provider.testkit.ts'
import { withAppValues } from './app-values.ts'

it('a header of a request replaces that of the file, also where the file takes it from the provider app', async () => {
  await using server = await startServer(() => ({ body: { data: [{ id: 1 }] } }))
  const entry = entryOf(`name: test
baseUrl: https://api.example.com
authentication: [{ scheme: oauth2, grantType: authorizationCode, authUrl: https://a.example.com/a, tokenUrl: https://a.example.com/t }]
appMetadata: { providerParams: [{ name: region, default: eu, kind: text, use: optional }] }
headers: { x-region: '{{app.region}}', authorization: 'Key {{app.region}}' }
objects:
  things: { read: { path: /things, records: data } }
  others: { read: { path: /others, records: data, headers: { X-Region: all, Authorization: own } } }
`)
  const credential = { scheme: 'oauth2', accessToken: 't1' } as const
  const http = plainHttp(fetch, { from: 'https://api.example.com', to: server.origin })
  const connector = createConnector(entry, { metadata: {}, credential, app: { region: 'us' } }, http)
  for (const object of ['things', 'others']) await connector.readPage({ object, fields: 'all' })
  expect(server.seen.map(({ headers }) => [headers['x-region'], headers['authorization']])).toEqual([
    ['us', 'Bearer t1'],
    ['all', 'Bearer t1'],
  ])
})

it('requests that need the client ID are not sent for a connection without an app', () => {
  const entry = entryOf(`name: test
baseUrl: https://api.example.com
authentication: [{ scheme: oauth2, grantType: authorizationCode, authUrl: https://a.example.com/a, tokenUrl: https://a.example.com/t }]
headers: { client: '{{app.clientId}}' }
`)
  const attachment = { headers: { authorization: 'Bearer t1' }, query: {}, secrets: ['t1'] }
  const connection = { metadata: {} }
  expect(withAppValues(entry, attachment, { clientId: 'c1' }, connection).headers).toEqual({
    authorization: 'Bearer t1',
    client: 'c1',
  })
  expect(() => withAppValues(entry, attachment, {}, connection)).toThrow('The provider app of test lacks Client ID.')
})
