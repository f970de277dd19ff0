import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { loadCatalogue } from '../../providers/src/index.ts'
import { testCache } from '../../providers/src/testing/test-cache.testkit.ts'
import { offlineCatalogue } from '../src/manifest/catalogue.ts'
import { packedCatalogue } from './catalogue.ts'

test('the catalogue of the command line is that of the providers as they are now', async () => {
  expect(
    await readFile(new URL('../src/generated/catalogue.json', import.meta.url), 'utf8'),
    'run packages/cli/scripts/write-catalogue.ts',
  ).toBe(await packedCatalogue({ cacheDir: testCache }))
})

test('it tells of every provider what the service would be told', async () => {
  const offline = await offlineCatalogue()
  const flags = ({ read, write, subscribe, proxy }: Record<'read' | 'write' | 'subscribe' | 'proxy', boolean>) => ({
    read,
    write,
    subscribe,
    proxy,
  })
  for (const entry of (await loadCatalogue({ cacheDir: testCache })).list()) {
    const { name, authType, defaultModule, objects, onlyWritten, reportsDeletions, signalsChanges } = entry
    const support = ({ implemented, undescribed }: Pick<typeof entry, 'implemented' | 'undescribed'>) => ({
      implemented: flags(implemented),
      ...(undescribed && { undescribed }),
    })
    const modules = Object.entries(entry.modules).map(([id, module]) => [id, support(module)])
    expect(offline.find(name)).toEqual({
      name,
      authType,
      ...support(entry),
      modules: Object.fromEntries(modules),
      ...(defaultModule !== undefined && { defaultModule }),
      ...(objects && { objects }),
      ...(onlyWritten && { onlyWritten }),
      ...(reportsDeletions && { reportsDeletions }),
      ...(signalsChanges && { signalsChanges }),
    })
  }
})
