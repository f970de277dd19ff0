import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { loadCatalogue } from '../src/catalogue/load-catalogue.ts'
import { testCache } from '../src/testing/test-cache.testkit.ts'
import { countsPage, evidenceTable } from './counts-page.ts'
import { withCounts } from './readme-counts.ts'
import { searchesPage } from './searches-page.ts'

it('docs/providers.md counts the catalogue as it is (scripts/count.ts --write)', async () => {
  const page = await readFile(new URL('../../../docs/providers.md', import.meta.url), 'utf8')
  const written = page.split('<!-- counts -->')[1]?.split('<!-- /counts -->')[0]
  expect(written?.trim()).toBe(countsPage((await loadCatalogue({ cacheDir: testCache })).list()).trim())
})

it('docs/providers.md counts what entries are based on (scripts/count.ts --write)', async () => {
  const page = await readFile(new URL('../../../docs/providers.md', import.meta.url), 'utf8')
  const written = page.split('<!-- evidence -->')[1]?.split('<!-- /evidence -->')[0]
  expect(written?.trim()).toBe(evidenceTable((await loadCatalogue({ cacheDir: testCache })).list()).trim())
})

it('docs/searching.md lists what can be searched (scripts/count.ts --write)', async () => {
  const page = await readFile(new URL('../../../docs/searching.md', import.meta.url), 'utf8')
  const written = page.split('<!-- searches -->')[1]?.split('<!-- /searches -->')[0]
  expect(written?.trim()).toBe(searchesPage((await loadCatalogue({ cacheDir: testCache })).list()).trim())
})

it('README.md counts the catalog as it is (scripts/count.ts --write)', async () => {
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')
  expect(readme).toBe(withCounts(readme, (await loadCatalogue({ cacheDir: testCache })).list()))
})
