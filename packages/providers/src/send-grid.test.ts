import { expect, it } from 'vitest'
import { proxyBase } from './index.ts'
import { asked, openProvider } from './testing/open-provider.testkit.ts'

it('an account of SendGrid in the EU is reached at its own host, and any other where it was before', async () => {
  await using provider = await openProvider('sendGrid', () => ({ body: [] }))
  const origin = (metadata: Record<string, string>) => proxyBase(provider.entry, { metadata }).origin
  expect(origin({})).toBe('https://api.sendgrid.com')
  expect(origin({ apiHost: 'api.eu.sendgrid.com' })).toBe('https://api.eu.sendgrid.com')
})

it('subusers are read with their region, which SendGrid leaves out unless asked', async () => {
  await using provider = await openProvider('sendGrid', () => ({ body: [] }))
  await provider.connector.readPage({ object: 'subusers', fields: ['region'] })
  expect(asked(provider.seen)).toEqual(['GET /v3/subusers?include_region=true&limit=500&offset=0'])
})
