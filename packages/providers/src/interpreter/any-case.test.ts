import { expect, it } from 'vitest'
import { createConnector } from '../index.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { thingsProvider } from '../testing/provider.testkit.ts'

const read = "read: { path: '/{{object}}' }\nfields: [{ source: static, fields: { name: string } }]"

async function openWith(rest: string) {
  const server = await startServer(() => ({ body: [] }))
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  return { server, connector: createConnector(thingsProvider(read, rest), connection, plainHttp(fetch)) }
}

it('objects are found in any case where the provider tells none apart, and asked for as they were named', async () => {
  const { server, connector } = await openWith('anyCase: true')
  await using _ = server
  expect(connector.hasObject('THINGS')).toBe(true)
  await connector.readPage({ object: 'Things', fields: ['name'] })
  expect(server.seen.map(({ url }) => url.pathname)).toEqual(['/api/Things'])
})

it('elsewhere case counts', async () => {
  const { server, connector } = await openWith('')
  await using _ = server
  expect(connector.hasObject('Things')).toBe(false)
})
