import { expect, it } from 'vitest'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What the OpenAPI document of GoToWebinar has, as far as the provider file relies on it. */

it('a webhook is deleted by its key, in a list', async () => {
  await using provider = await openProvider('goTo', () => ({ status: 202 }), { metadata: { accountKey: 'a1' } })
  const { connector, seen } = provider
  expect(await connector.write({ object: 'webhooks', type: 'delete', id: 'w1', record: {} })).toMatchObject({
    success: true,
  })
  expect(asked(seen)).toEqual(['DELETE /G2W/rest/v2/webhooks ["w1"]'])
})
