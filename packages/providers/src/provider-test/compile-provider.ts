import { compileCatalogue } from '../catalogue/compile-catalogue.ts'
import type { CatalogueFault, ProviderEntry } from '../catalogue/entry.ts'
import { entryOfCompiled } from '../catalogue/entry-of-compiled.ts'
import { readBuiltInSources } from '../catalogue/read-sources.ts'

/**
 * Returns the entry that a provider file would have in the catalog, completed by the built-in file of its name; or all
 * its errors.
 *
 * @param path of the file, for its faults; its base name is the provider's
 */
export function compileProvider(path: string, text: string): { entry: ProviderEntry } | { faults: CatalogueFault[] } {
  const { providers, faults } = compileCatalogue([{ path, text, origin: 'user' }], readBuiltInSources().sources)
  const [compiled] = providers
  return compiled === undefined ? { faults } : { entry: entryOfCompiled(compiled, path) }
}
