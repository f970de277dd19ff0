import { expect, it } from 'vitest'
import { checkHealth } from '../index.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

it('an account is checked by the user and tenant that authorized the app', async () => {
  await using provider = await openProvider('fourFour', () => ({ body: { value: [] } }))
  await using server = await startServer(() => ({ status: 401, body: {} }))
  const connection = { metadata: {}, credential: { scheme: 'oauth2', accessToken: 'revoked' } } as const
  const http = plainHttp(fetch, { from: 'https://fourfour.ai', to: server.origin })
  await checkHealth(provider.entry, connection, http)?.catch(() => undefined)
  expect(asked(server.seen)).toEqual(['GET /odata/me'])
})
