import { expect, it } from 'vitest'
import { openProvider } from './testing/open-provider.testkit.ts'

/** How Outplay's own package for n8n authenticates. */

it('a request carries the client id as a parameter and the secret in a header', async () => {
  const values = { clientId: 'c1', clientSecret: 's1' }
  await using provider = await openProvider('outplay', () => ({ body: { data: [], pagination: {} } }), {
    metadata: { workspace: 'us4' },
    credential: { scheme: 'custom', values },
  })
  await provider.connector.readPage({ object: 'prospect', fields: [] })
  const [request] = provider.seen
  expect(request?.url.searchParams.get('client_id')).toBe('c1')
  expect(request?.headers['x-client-secret']).toBe('s1')
  expect(request?.headers['authorization']).toBeUndefined()
})
