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

it('segments of the first version are read and deleted, and no others are made', async () => {
  await using provider = await openProvider('sendGrid', () => ({ body: {} }))
  const { connector, seen } = provider
  await connector.write({ object: 'segments', type: 'delete', id: 's1', record: {} })
  expect(asked(seen)).toEqual(['DELETE /v3/marketing/segments/s1'])
  const made = connector.write({ object: 'segments', type: 'create', record: { name: 'A' } })
  await expect(made).rejects.toMatchObject({ class: 'unsupported_object' })
  await connector.write({ object: 'segments_v2', type: 'create', record: { name: 'A' } }).catch(() => {})
  expect(asked(seen).at(-1)).toBe('POST /v3/marketing/segments/2.0 {"name":"A"}')
})
