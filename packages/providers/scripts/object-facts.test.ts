import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadCatalogue } from '../src/catalogue/load-catalogue.ts'
import { entryOf } from '../src/testing/provider.testkit.ts'
import { testCache } from '../src/testing/test-cache.testkit.ts'
import { factFiles, factGaps, readObjectFacts } from './object-facts.ts'

const shared = process.env['MORTISE_SHARED'] ?? resolve(import.meta.dirname, '../../../../shared')
const folder = join(shared, 'providers/objects')

describe.skipIf(!existsSync(folder) && process.env['MORTISE_REQUIRE_SHARED'] !== '1')(
  'what is known of objects',
  () => {
    it.each(Object.keys(factFiles))('%s: no field is lost, and no object is without fields', async (provider) => {
      const file = (await loadCatalogue({ cacheDir: testCache })).find(provider)?.file
      const facts = readObjectFacts(folder, provider)
      if (file === undefined || facts === undefined) throw new Error(`no facts of ${provider} in ${folder}`)
      const { undescribed, fields } = factGaps(file, facts)
      expect({ undescribed, fields }).toEqual({ undescribed: [], fields: [] })
    })
  },
)

it('gaps are objects, objects without fields, and fields; what is only written is none', () => {
  const { file } = entryOf(`name: test
baseUrl: https://api.example.com
authentication: [{ scheme: none }]
objects:
  a: { read: { path: /a }, fields: [{ source: static, fields: { ID: string } }] }
  b: { read: { path: /b }, fields: [{ source: live, path: /custom, name: name, isCustom: true }] }
  c: { read: { path: /c }, fields: [{ source: live, path: /fields, name: name }] }
  d: { write: { create: { path: /d } }, fields: [{ source: static, fields: { other: string } }] }
`)
  if (file === undefined) throw new Error('no file')
  const fields = { id: { displayName: 'id' }, name: { displayName: 'name' } }
  const objects = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, { fields }]))
  expect(factGaps(file, { modules: { root: { objects } } })).toEqual({
    objects: ['e'],
    undescribed: ['b'],
    fields: ['a.name'],
  })
})
