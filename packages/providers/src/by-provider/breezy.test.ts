import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

it('candidates of the positions of each state are read, and written with their position', async () => {
  await using provider = await openProvider(
    'breezy',
    ({ method, url }) => {
      if (method !== 'GET') return { body: { _id: 'k9', name: 'Ann' } }
      if (!url.pathname.endsWith('/positions')) return { body: [{ _id: `k-${url.pathname.split('/')[5]}` }] }
      const state = url.searchParams.get('state')
      return { body: state === 'closed' ? [{ _id: 'p1' }, { _id: 'p2' }] : [{ _id: 'p3' }] }
    },
    { metadata: { company_id: 'c1' } },
  )
  const { connector } = provider
  const closed = await connector.readPage({ object: 'candidates/closed', fields: [] })
  expect(closed.records.map(({ id, raw }) => [id, raw['position_id']])).toEqual([
    ['k-p1', 'p1'],
    ['k-p2', 'p2'],
  ])
  const record = { position_id: 'p1', name: 'Ann' }
  expect(await connector.write({ object: 'candidates', type: 'create', record })).toMatchObject({ recordId: 'k9' })
  await connector.write({ object: 'candidates', type: 'update', id: 'k9', record })
  expect(asked(provider.seen)).toEqual([
    'GET /v3/company/c1/positions?state=closed',
    'GET /v3/company/c1/position/p1/candidates?sort=created',
    'GET /v3/company/c1/position/p2/candidates?sort=created',
    'POST /v3/company/c1/position/p1/candidates {"name":"Ann"}',
    'PUT /v3/company/c1/position/p1/candidate/k9 {"name":"Ann"}',
  ])
})

it('a token that is not valid is answered by 400', async () => {
  const body = { error: { type: 'invalidAccessToken', message: 'Access token not recognized' } }
  await using provider = await openProvider('breezy', () => ({ status: 400, body }), { metadata: { company_id: 'c1' } })
  await expect(provider.connector.readPage({ object: 'companies', fields: [] })).rejects.toMatchObject({
    class: 'auth_invalidated',
    providerMessage: 'Access token not recognized',
  })
})
