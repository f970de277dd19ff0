import { expect, it } from 'vitest'
import { proxyBase } from '../index.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

it('an account of Insightly is reached in its pod, and without one where it was before', async () => {
  await using provider = await openProvider('insightly', () => ({ body: [] }))
  const origin = (metadata: Record<string, string>) => proxyBase(provider.entry, { metadata }).origin
  expect(origin({})).toBe('https://api.insightly.com')
  expect(origin({ apiHost: 'api.na1.insightly.com' })).toBe('https://api.na1.insightly.com')
})

it('a note is updated and deleted by its id, and is not created without its record', async () => {
  await using provider = await openProvider('insightly', () => ({ body: { NOTE_ID: 7 } }))
  const { connector } = provider
  await expect(connector.write({ object: 'Notes', type: 'create', record: { TITLE: 'A' } })).rejects.toThrow()
  expect(provider.seen).toEqual([])
  await connector.write({ object: 'Notes', type: 'update', id: '7', record: { TITLE: 'B' } })
  expect(asked(provider.seen)).toEqual(['PUT /v3.1/Notes/7 {"TITLE":"B","NOTE_ID":"7"}'])
})
