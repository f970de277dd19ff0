import { expect, it } from 'vitest'
import { appliedLimits } from '../testing/applied-limits.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

/** How Outplay's own package for n8n authenticates, and what public clients of the API read. */

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

it('sequences are read page by page, and no account gets more than its requests', async () => {
  const answer = ({ body }: { body: string }) => {
    const { pageindex } = JSON.parse(body) as { pageindex: number }
    const pagination = { page: pageindex, hasmorerecords: pageindex < 2 }
    return { body: { data: [{ sequenceid: pageindex, name: 'a' }], pagination } }
  }
  await using provider = await openProvider('outplay', answer, {
    metadata: { workspace: 'us4' },
    credential: { scheme: 'custom', values: { clientId: 'c1', clientSecret: 's1' } },
  })
  const records = await readAll(provider.connector, { object: 'sequence', fields: ['name'] })
  expect(records.map(({ id }) => id)).toEqual(['1', '2'])
  expect(asked(provider.seen)).toEqual([
    'POST /api/v1/sequence/search?client_id=c1 {"pageindex":1}',
    'POST /api/v1/sequence/search?client_id=c1 {"pageindex":2}',
  ])
  for (const { url } of provider.seen)
    expect(appliedLimits(provider.entry, url.pathname)).toEqual(['100 in 10 s per connection'])
})
