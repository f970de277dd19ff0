import { expect, it } from 'vitest'
import { openProvider } from '../testing/open-provider.testkit.ts'

it.each(['contacts', 'me/contacts'])('archived records of %s are read, too', async (object) => {
  await using provider = await openProvider('salesflare', () => ({ body: [] }))
  await provider.connector.readPage({ object, fields: ['id'] })
  expect(provider.seen[0]?.url.searchParams.get('includeArchived')).toBe('true')
})
