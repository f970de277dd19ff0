import { readFile } from 'node:fs/promises'
import { canFilterReads, loadCatalogue, type ProviderEntry } from '@mortise/providers'
import { expect, it } from 'vitest'
import { testCache } from '../packages/providers/src/testing/test-cache.testkit.ts'

/** The providers that docs/installing.md and docs/fields.md name, against the provider files. */

const catalogue = await loadCatalogue({ cacheDir: testCache })

async function namesAfter(file: string, words: string): Promise<string[]> {
  const page = await readFile(new URL(`../${file}`, import.meta.url), 'utf8')
  const [, list = ''] = page.replace(/\s+/g, ' ').split(words)
  return [...(/^:?((?: `\w+`[,.])+)/.exec(list)?.[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
}

/** Providers with an object for which `holds`. */
function providersWhere(holds: (entry: ProviderEntry, module: string, object: string) => boolean): string[] {
  const found = catalogue
    .list()
    .filter((entry) =>
      [...(entry.file?.sets ?? [])].some(([module, { objects }]) =>
        [...objects.keys()].some((object) => holds(entry, module, object)),
      ),
    )
  return found.map(({ name }) => name).toSorted()
}

const sourcesOf = (entry: ProviderEntry, module: string, object: string): string[] =>
  (entry.file?.sets.get(module)?.objects.get(object)?.fields ?? []).map(({ source }) => source)

it('docs/installing.md names the providers whose reads can be filtered', async () => {
  const named = await namesAfter('docs/installing.md', 'They work for objects of these providers')
  expect(named).toEqual(providersWhere(canFilterReads))
})

it('docs/fields.md names the providers that describe the fields of an account', async () => {
  const described = providersWhere((...of) => sourcesOf(...of)[0] === 'live')
  const added = providersWhere((...of) => sourcesOf(...of)[0] === 'static' && sourcesOf(...of).includes('live'))
  const whole = await namesAfter('docs/fields.md', 'describe all fields of some or all objects')
  const own = await namesAfter('docs/fields.md', 'own fields to a list in the file')
  expect(whole).toEqual(described)
  expect(own).toEqual(added)
})
