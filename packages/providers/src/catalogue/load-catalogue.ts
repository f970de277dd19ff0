import { buildProviderFile } from './build-provider-file.ts'
import { catalogueKey, type Part, readCachedCatalogue, writeCachedCatalogue } from './catalogue-cache.ts'
import type { Catalogue, CatalogueFault, ProviderEntry } from './entry.ts'
import type { ProviderFile } from './format/provider-file.ts'
import type { EntryHead } from './make-entry.ts'
import { nearestName } from './nearest-name.ts'
import { openCatalogue, type PackedCatalogue } from './pack-catalogue.ts'
import { readSources, type Source } from './read-sources.ts'

export interface CatalogueOptions {
  /**
   * Folders of the user's files. A file takes the place of an earlier one of its name, and is completed by the built-in
   * one.
   */
  providerDirs?: readonly string[]
  /** Where the compiled catalogue is kept from one start to the next; without one it is compiled each time. */
  cacheDir?: string
}

/**
 * The provider files of this package, and the user's over them. A broken file is reported in `faults` and leaves
 * everything else, the earlier file of that name too, as it was.
 *
 * With a cache this takes some ten milliseconds: nothing is parsed but JSON, what parses and checks YAML is not even
 * loaded, and what reads a provider's objects is made when it is first asked for.
 */
export async function loadCatalogue({ providerDirs = [], cacheDir }: CatalogueOptions = {}): Promise<Catalogue> {
  const { sources, faults } = readSources(providerDirs)
  const builtIn = sources.filter(({ origin }) => origin === 'builtIn')
  const users = sources.filter(({ origin }) => origin === 'user')
  const parts = [await packedPart('built-in', builtIn, [], cacheDir)]
  if (users.length > 0) parts.push(await packedPart('user', users, builtIn, cacheDir))
  return catalogueOf(parts, faults)
}

/** Returns a compiled part of the catalogue, from the cache where it is there. */
export async function packedPart(
  part: Part,
  sources: readonly Source[],
  beneath: readonly Source[],
  cacheDir: string | undefined,
): Promise<PackedCatalogue> {
  const key = catalogueKey([...beneath, ...sources])
  const cached = cacheDir === undefined ? undefined : readCachedCatalogue(cacheDir, part, key)
  if (cached !== undefined) return cached
  const { packApart } = await import('./pack-apart.ts')
  const bytes = await packApart({ sources, beneath, key })
  if (cacheDir !== undefined) writeCachedCatalogue(cacheDir, part, key, bytes)
  const opened = openCatalogue(bytes, key)
  if (opened === undefined) throw new Error('The packed catalog cannot be opened.')
  return opened
}

function catalogueOf(parts: readonly PackedCatalogue[], readFaults: readonly CatalogueFault[]): Catalogue {
  const entries = parts.flatMap((part) => part.heads.map((head) => entryOf(head, part)))
  return catalogueOfEntries(entries, [...readFaults, ...parts.flatMap((part) => part.faults)])
}

/** The catalogue of these entries, of which a later one takes the place of an earlier one of its name. */
export function catalogueOfEntries(all: readonly ProviderEntry[], faults: readonly CatalogueFault[]): Catalogue {
  const entries = new Map(all.map((entry) => [entry.name, entry]))
  const sorted = [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const names = sorted.map(({ name }) => name)
  return {
    version: {},
    faults: [...faults].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0)),
    find: (name) => entries.get(name),
    list: () => [...sorted],
    suggest: (name) => nearestName(name, names),
  }
}

export function entryOf(head: EntryHead, part: PackedCatalogue): ProviderEntry {
  let file: ProviderFile | undefined
  return {
    ...head,
    get file() {
      if (file !== undefined) return file
      const { path, ...reading } = part.readingOf(head.name)
      file = buildProviderFile({ name: head.name, ...reading }, path).file
      return file
    },
  }
}
