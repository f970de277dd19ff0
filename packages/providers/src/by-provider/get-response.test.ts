import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What GetResponse's OpenAPI document of 2026-07-28 has of writing. */

it('a campaign is created and changed, and never deleted', async () => {
  await using provider = await openProvider('getResponse', () => ({ body: { campaignId: 'f4PSi', name: 'spring' } }))
  const { connector, seen } = provider
  await connector.write({ object: 'campaigns', type: 'create', record: { name: 'spring' } })
  await connector.write({ object: 'campaigns', type: 'update', id: 'f4PSi', record: { description: 'Spring' } })
  await expect(connector.write({ object: 'campaigns', type: 'delete', id: 'f4PSi', record: {} })).rejects.toMatchObject(
    {
      class: 'unsupported_object',
    },
  )
  expect(asked(seen)).toEqual([
    'POST /v3/campaigns {"name":"spring"}',
    'POST /v3/campaigns/f4PSi {"description":"Spring"}',
  ])
})
