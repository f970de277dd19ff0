import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { loadCatalogue } from '../src/catalogue/load-catalogue.ts'
import { testCache } from '../src/testing/test-cache.testkit.ts'
import { countsPage } from './counts-page.ts'

it('docs/providers.md counts the catalogue as it is (scripts/count.ts --write)', async () => {
  const page = await readFile(new URL('../../../docs/providers.md', import.meta.url), 'utf8')
  const written = page.split('<!-- counts -->')[1]?.split('<!-- /counts -->')[0]
  expect(written?.trim()).toBe(countsPage((await loadCatalogue({ cacheDir: testCache })).list()).trim())
})
