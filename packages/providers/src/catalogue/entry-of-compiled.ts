import { buildProviderFile } from './build-provider-file.ts'
import type { CompiledCatalogue } from './compile-catalogue.ts'
import type { ProviderEntry } from './entry.ts'

/** Returns the entry that a compiled file has in the catalog. */
export function entryOfCompiled(
  { head, reading }: CompiledCatalogue['providers'][number],
  path: string,
): ProviderEntry {
  const { path: _, ...rest } = reading
  return { ...head, file: buildProviderFile({ name: head.name, ...rest }, path).file }
}
