import { createConnector, loadCatalogue } from '@mortise/providers'
import { expect, it } from 'vitest'
import type { EffectiveReadObject } from './effective.ts'
import { sampleRead } from './sample-read.ts'

it('an object that only a job returns is not tried: its reports are limited', async () => {
  const cacheDir = process.env['MORTISE_CACHE_DIR'] ?? ''
  const entry = (await loadCatalogue({ cacheDir })).find('amazonSellingPartner')
  if (entry === undefined) throw new Error('The catalog lacks the provider.')
  const metadata = { region: 'eu', marketplaceId: 'A1PA6795UKMFR9', sellerId: 'S1' }
  const asked: string[] = []
  const connection = { metadata, credential: { scheme: 'oauth2', accessToken: 't1' } } as const
  const connector = createConnector(entry, connection, async ({ method, url }) => {
    asked.push(`${method} ${url}`)
    return { status: 400, headers: {}, body: '{}' }
  })
  const object: EffectiveReadObject = {
    objectName: 'listingsReport',
    disabled: false,
    fields: 'all',
    mappings: [],
    valueMappings: {},
    deletions: false,
    delivery: { mode: 'auto' },
    enabledAlways: false,
  }
  await sampleRead(connector, [object], new AbortController().signal)
  expect(asked).toEqual([])
})
