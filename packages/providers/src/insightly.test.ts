import { expect, it } from 'vitest'
import { proxyBase } from './index.ts'
import { openProvider } from './testing/open-provider.testkit.ts'

it('an account of Insightly is reached in its pod, and without one where it was before', async () => {
  await using provider = await openProvider('insightly', () => ({ body: [] }))
  const origin = (metadata: Record<string, string>) => proxyBase(provider.entry, { metadata }).origin
  expect(origin({})).toBe('https://api.insightly.com')
  expect(origin({ apiHost: 'api.na1.insightly.com' })).toBe('https://api.na1.insightly.com')
})
